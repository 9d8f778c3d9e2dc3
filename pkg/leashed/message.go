package leashed

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Caps on messages. The evaluator bounds what it reads long before; a small
// source can export hundreds of megabytes.
const (
	MaxRequest = 16 << 20
	MaxAnswer  = 64 << 20
)

// Send writes a message behind its length.
func Send(w io.Writer, message []byte) error {
	if _, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// TooLongError is a message beyond its cap.
type TooLongError uint32

func (e TooLongError) Error() string {
	return fmt.Sprintf("receive a message: it has %d bytes", uint32(e))
}

// Receive reads a message. It is io.EOF if there is none.
func Receive(r io.Reader, limit uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > limit {
		return nil, TooLongError(n)
	}
	message := make([]byte, n)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, fmt.Errorf("receive a message: %w", err)
	}
	return message, nil
}

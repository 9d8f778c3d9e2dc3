package pool

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Caps on messages. The evaluator bounds what it reads long before; a small
// source can export hundreds of megabytes.
const (
	maxRequest = 16 << 20
	maxAnswer  = 64 << 20
)

// send writes a message behind its length.
func send(w io.Writer, message []byte) error {
	if _, err := w.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(message))), message...)); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// errTooLong is a message beyond its cap.
type errTooLong uint32

func (e errTooLong) Error() string {
	return fmt.Sprintf("receive a message: it has %d bytes", uint32(e))
}

// receive reads a message. It is io.EOF if there is none.
func receive(r io.Reader, limit uint32) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > limit {
		return nil, errTooLong(n)
	}
	message := make([]byte, n)
	if _, err := io.ReadFull(r, message); err != nil {
		return nil, fmt.Errorf("receive a message: %w", err)
	}
	return message, nil
}

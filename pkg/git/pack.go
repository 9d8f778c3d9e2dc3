package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// checkPack reads a pack once and refuses it if one of its objects is, or as a
// delta claims to grow, larger than max. It runs before the pack is indexed,
// because indexing holds whole objects in memory: a few kilobytes of zeros,
// well compressed, would otherwise be enough to end the process.
func checkPack(r io.ReadSeeker, max int64) error {
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return err
	}
	scan := packfile.NewScanner(r)
	_, count, err := scan.Header()
	if err != nil {
		if errors.Is(err, packfile.ErrEmptyPackfile) {
			return nil
		}
		return err
	}
	for range count {
		header, err := scan.NextObjectHeader()
		if err != nil {
			return err
		}
		grows := header.Length
		if header.Type == plumbing.OFSDeltaObject || header.Type == plumbing.REFDeltaObject {
			head := &beginning{max: 2 * binary.MaxVarintLen64}
			if header.Length > max {
				return fmt.Errorf("the pack holds an object of %d bytes, at most %d are allowed", header.Length, max)
			}
			if _, _, err := scan.NextObject(head); err != nil {
				return err
			}
			if grows, err = head.deltaResult(); err != nil {
				return err
			}
		}
		if grows > max || grows < 0 {
			return fmt.Errorf("the pack holds an object of %d bytes, at most %d are allowed", grows, max)
		}
	}
	return nil
}

// beginning keeps the first bytes that are written to it.
type beginning struct {
	max int
	buf bytes.Buffer
}

func (b *beginning) Write(p []byte) (int, error) {
	b.buf.Write(p[:min(len(p), b.max-b.buf.Len())])
	return len(p), nil
}

// deltaResult reads the size of what a delta produces: the second of the two
// numbers that a delta starts with.
func (b *beginning) deltaResult() (int64, error) {
	if _, err := binary.ReadUvarint(&b.buf); err != nil {
		return 0, errors.New("the pack holds a malformed delta")
	}
	n, err := binary.ReadUvarint(&b.buf)
	if err != nil {
		return 0, errors.New("the pack holds a malformed delta")
	}
	return int64(n), nil
}

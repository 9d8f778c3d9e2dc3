package git

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// TooMuchError reports a pack that unpacks to more than is allowed. A small pack can
// claim to unpack to gigabytes.
type TooMuchError struct{ Max int64 }

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("the pack unpacks to more than %d bytes", e.Max)
}

// unpacker reads packs, each in one go. It checks every size against its limit: the size of
// each object, of the result of each delta, and of all objects together. An index, which
// go-git needs to read an object, would take longer than all of it.
type unpacker struct {
	scan *packfile.Scanner
	max  int64 // bytes of one object
	most int64 // bytes of all objects
	sum  int64 // bytes of those so far

	// commit is called with each commit as soon as it has arrived, and ends the pack
	// with its error. Git sends commits before directories and files.
	commit func(content []byte) error

	objects inMemory
	at      map[int64]Hash // objects by where they start
	waiting []delta        // in the order of the pack
}

func newUnpacker(r io.Reader, limits Limits) *unpacker {
	return &unpacker{scan: packfile.NewScanner(r), max: limits.Object, most: limits.Memory, objects: inMemory{}, at: map[int64]Hash{}}
}

// delta is an object that is stored as its differences from a base.
type delta struct {
	*packfile.ObjectHeader
	changes []byte
}

var errMalformedPack = errors.New("the pack is malformed")

// pack takes in the next pack.
func (u *unpacker) pack() error {
	_, count, err := u.scan.Header()
	if err != nil {
		return errMalformedPack
	}
	for range count {
		if err := u.object(); err != nil {
			return err
		}
	}
	if _, err := u.scan.Checksum(); err != nil {
		return errMalformedPack
	}
	return u.settle()
}

// packs takes in all packs of a file, one after another. It returns where the first one ends.
func (u *unpacker) packs(file *os.File, size int64) (first int64, err error) {
	for at := int64(0); first == 0 || at < size; {
		if err := u.pack(); err != nil {
			return first, err
		}
		if at, err = u.scan.SeekFromStart(0); err == nil {
			_, err = file.Seek(at, io.SeekStart)
		}
		if err != nil {
			return first, err
		}
		u.scan.Reset(file)
		if first == 0 {
			first = at
		}
	}
	return first, nil
}

// object reads the next object of the pack. Deltas wait until all others are known.
func (u *unpacker) object() error {
	h, err := u.scan.NextObjectHeader()
	if err != nil {
		return errMalformedPack
	}
	if err := u.allow(h.Length); err != nil {
		return err
	}
	content := bytes.NewBuffer(make([]byte, 0, h.Length))
	if n, _, err := u.scan.NextObject(content); err != nil || n != h.Length {
		return errMalformedPack
	}
	switch h.Type {
	case plumbing.CommitObject:
		if u.commit != nil {
			if err := u.commit(content.Bytes()); err != nil {
				return err
			}
		}
	case plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject, plumbing.REFDeltaObject:
		u.waiting = append(u.waiting, delta{h, content.Bytes()})
		return nil
	default:
		return errMalformedPack
	}
	u.keep(h.Offset, unpacked{h.Type, content.Bytes()})
	return nil
}

// allow counts bytes before they are allocated, and refuses those beyond a limit.
func (u *unpacker) allow(size int64) error {
	if size > u.max || size < 0 {
		return fmt.Errorf("the pack holds an object of %d bytes, at most %d are allowed", size, u.max)
	}
	if u.sum += size; u.sum > u.most {
		return &TooMuchError{u.most}
	}
	return nil
}

func (u *unpacker) keep(start int64, o unpacked) {
	h := plumbing.ComputeHash(o.kind, o.content)
	u.objects[h] = o
	u.at[start] = h
}

// apply adds the object that a delta describes, if its base is known.
func (u *unpacker) apply(d *delta) (known bool, err error) {
	base := d.Reference
	if d.Type == plumbing.OFSDeltaObject {
		base = u.at[d.OffsetReference]
	}
	from, known := u.objects[base]
	if !known {
		return false, nil
	}
	head := beginning{max: 2 * binary.MaxVarintLen64}
	_, _ = head.Write(d.changes)
	size, err := head.deltaResult()
	if err != nil {
		return false, err
	}
	if err := u.allow(size); err != nil {
		return false, err
	}
	content, err := packfile.PatchDelta(from.content, d.changes)
	if err != nil {
		return false, errMalformedPack
	}
	u.keep(d.Offset, unpacked{from.kind, content})
	return true, nil
}

// settle applies the deltas. A base comes before or after the deltas that refer to it. A delta whose base
// never comes is dropped, and its object is missing.
func (u *unpacker) settle() error {
	for pending := -1; len(u.waiting) != pending; {
		pending = len(u.waiting)
		rest := u.waiting[:0]
		for i := range u.waiting {
			known, err := u.apply(&u.waiting[i])
			if err != nil {
				return err
			}
			if !known {
				rest = append(rest, u.waiting[i])
			}
		}
		u.waiting = rest
	}
	u.waiting = nil
	return nil
}

package git

import (
	"encoding/binary"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

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
	from *entries
	max  int64 // bytes of one object
	most int64 // bytes of all objects
	sum  int64 // bytes of those so far, with what they need beside their content

	// commit is called with each commit as soon as it has arrived, and ends the pack
	// with its error. Git sends commits before directories and files.
	commit func(content []byte) error

	objects inMemory
	at      map[int64]Hash // objects by where they start
	unnamed []stored       // in the order of the pack
	waiting []delta        // the same
}

func newUnpacker(r io.Reader, limits Limits) *unpacker {
	return &unpacker{from: newEntries(r), max: limits.Object, most: limits.Memory, objects: inMemory{}, at: map[int64]Hash{}}
}

// stored is an object that stands whole in a pack.
type stored struct {
	unpacked
	start int64
	name  Hash
}

// delta is an object that is stored as its differences from a base.
type delta struct {
	entry
	changes []byte
}

// pack takes in the next pack.
func (u *unpacker) pack() error {
	count, err := u.from.begin()
	if err != nil {
		return err
	}
	for range count {
		if err := u.object(); err != nil {
			return err
		}
	}
	if err := u.from.end(); err != nil {
		return err
	}
	u.name()
	return u.settle()
}

// packs takes in all packs of a file, one after another. It returns where the first one ends.
func (u *unpacker) packs(size int64) (first int64, err error) {
	for first == 0 || u.from.at() < size {
		if err := u.pack(); err != nil {
			return first, err
		}
		if first == 0 {
			first = u.from.at()
		}
	}
	return first, nil
}

// object reads the next object of the pack. Deltas wait until all others are known.
func (u *unpacker) object() error {
	o, err := u.from.next()
	if err != nil {
		return err
	}
	if err := u.allow(o.size); err != nil {
		return err
	}
	content, err := u.from.content(o.size)
	if err != nil {
		return err
	}
	switch o.kind {
	case plumbing.CommitObject:
		if u.commit != nil {
			if err := u.commit(content); err != nil {
				return err
			}
		}
	case plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
	case plumbing.OFSDeltaObject, plumbing.REFDeltaObject:
		u.waiting = append(u.waiting, delta{o, content})
		return nil
	default:
		return errMalformedPack
	}
	u.unnamed = append(u.unnamed, stored{unpacked: unpacked{o.kind, content}, start: o.start})
	return nil
}

// name names the objects by their content, on all cores, because that takes a third of the time.
func (u *unpacker) name() {
	var group sync.WaitGroup
	for part := range slices.Chunk(u.unnamed, 1+len(u.unnamed)/runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := range part {
				part[i].name = plumbing.ComputeHash(part[i].kind, part[i].content)
			}
		})
	}
	group.Wait()
	for i := range u.unnamed {
		o := &u.unnamed[i]
		u.objects[o.name], u.at[o.start] = o.unpacked, o.name
	}
	u.unnamed = nil
}

// perObject is about what the unpacker keeps of an object beside its content, which may be empty.
const perObject = 128

// allow counts bytes before they are allocated, and refuses those beyond a limit.
func (u *unpacker) allow(size int64) error {
	if size > u.max || size < 0 {
		return fmt.Errorf("the pack holds an object of %d bytes, at most %d are allowed", size, u.max)
	}
	if u.sum += size + perObject; u.sum > u.most {
		return &TooMuchError{u.most}
	}
	return nil
}

// apply adds the object that a delta describes, if its base is known.
func (u *unpacker) apply(d *delta) (known bool, err error) {
	base := d.base
	if d.kind == plumbing.OFSDeltaObject {
		base = u.at[d.baseStart]
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
	name := plumbing.ComputeHash(from.kind, content)
	u.objects[name], u.at[d.start] = unpacked{from.kind, content}, name
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

package git

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/klauspost/compress/zlib"
)

// TooMuchError reports a pack that unpacks to more than is allowed. A small pack can
// claim to unpack to gigabytes.
type TooMuchError struct{ Max int64 }

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("the pack unpacks to more than %d bytes", e.Max)
}

// unpacker reads packs, one after another, each in one go. It checks every size against
// its limit: the size of each object, of the result of each delta, and of all objects
// together. An index, which go-git needs, would take longer than all of it.
type unpacker struct {
	from    *counting
	in      *bufio.Reader // so that the inflater reads no byte beyond its object
	max     int64         // bytes of one object
	most    int64         // bytes of all objects
	sum     int64         // bytes of those so far
	inflate io.ReadCloser

	// commit is called with each commit as soon as it has arrived, and ends the pack
	// with its error. Git sends commits before directories and files.
	commit func(content []byte) error

	objects inMemory
	at      map[int64]Hash // objects by where they start
	waiting []delta        // in the order of the pack
}

func newUnpacker(r io.Reader, limits Limits) *unpacker {
	from := &counting{from: r}
	return &unpacker{from: from, in: bufio.NewReaderSize(from, 64<<10), max: limits.Object, most: limits.Memory, objects: inMemory{}, at: map[int64]Hash{}}
}

// delta is an object that is stored as its differences from a base.
type delta struct {
	start   int64
	base    Hash  // the name of the base …
	offset  int64 // … or where it starts
	changes []byte
}

// counting counts the bytes that were read.
type counting struct {
	from io.Reader
	n    int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// pos returns where the next byte is.
func (u *unpacker) pos() int64 { return u.from.n - int64(u.in.Buffered()) }

var errMalformedPack = errors.New("the pack is malformed")

// pack takes in the next pack.
func (u *unpacker) pack() error {
	var head [12]byte
	if _, err := io.ReadFull(u.in, head[:]); err != nil || string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:]) != 2 {
		return errMalformedPack
	}
	// Computing names takes a third of the time, so another goroutine does it.
	whole, named := make(chan arrival, 256), make(chan struct{})
	go func() {
		defer close(named)
		for a := range whole {
			u.keep(a.start, a.unpacked)
		}
	}()
	var err error
	for range binary.BigEndian.Uint32(head[8:]) {
		if err = u.object(whole); err != nil {
			break
		}
	}
	close(whole)
	<-named
	if err != nil {
		return err
	}
	if n, _ := u.in.Discard(len(Hash{})); n < len(Hash{}) { // a checksum, which the names of the objects make needless
		return errMalformedPack
	}
	return u.settle()
}

// rest takes in all packs that follow.
func (u *unpacker) rest() error {
	for {
		if _, err := u.in.Peek(1); err == io.EOF {
			return nil
		}
		if err := u.pack(); err != nil {
			return err
		}
	}
}

// arrival is an object that has no name yet.
type arrival struct {
	start int64
	unpacked
}

// object reads the next object of the pack. Deltas wait until all others are known.
func (u *unpacker) object(whole chan<- arrival) error {
	start := u.pos()
	kind, size, err := u.header()
	if err != nil {
		return err
	}
	d := delta{start: start}
	switch kind {
	case plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject:
		content, err := u.content(size)
		if err != nil {
			return err
		}
		if kind == plumbing.CommitObject && u.commit != nil {
			if err := u.commit(content); err != nil {
				return err
			}
		}
		whole <- arrival{start, unpacked{kind, content}}
		return nil
	case plumbing.OFSDeltaObject:
		back, err := u.offset()
		if err != nil || back <= 0 || back > start {
			return errMalformedPack
		}
		d.offset = start - back
	case plumbing.REFDeltaObject:
		if _, err := io.ReadFull(u.in, d.base[:]); err != nil {
			return errMalformedPack
		}
	default:
		return errMalformedPack
	}
	if d.changes, err = u.content(size); err != nil {
		return err
	}
	u.waiting = append(u.waiting, d)
	return nil
}

// header reads the kind and the size of an object.
func (u *unpacker) header() (plumbing.ObjectType, int64, error) {
	c, err := u.in.ReadByte()
	if err != nil {
		return 0, 0, errMalformedPack
	}
	kind, size := plumbing.ObjectType(c>>4&7), int64(c&15)
	for shift := 4; c&0x80 != 0; shift += 7 {
		if c, err = u.in.ReadByte(); err != nil || shift > 40 {
			return 0, 0, errMalformedPack
		}
		size |= int64(c&0x7f) << shift
	}
	return kind, size, nil
}

// offset reads how far back the base of a delta starts.
func (u *unpacker) offset() (int64, error) {
	var n int64
	for i := 0; ; i++ {
		c, err := u.in.ReadByte()
		if err != nil || i > 6 {
			return 0, errMalformedPack
		}
		n = n<<7 | int64(c&0x7f)
		if c&0x80 == 0 {
			return n, nil
		}
		n++
	}
}

// content inflates the next object, which must have the given size.
func (u *unpacker) content(size int64) ([]byte, error) {
	if err := u.allow(size); err != nil {
		return nil, err
	}
	var err error
	if u.inflate == nil {
		u.inflate, err = zlib.NewReader(u.in)
	} else {
		err = u.inflate.(zlib.Resetter).Reset(u.in, nil)
	}
	if err != nil {
		return nil, errMalformedPack
	}
	b := make([]byte, size)
	if _, err := io.ReadFull(u.inflate, b); err != nil {
		return nil, errMalformedPack
	}
	// The end, with the checksum before it.
	if n, err := u.inflate.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return nil, errMalformedPack
	}
	return b, nil
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
	base := d.base
	if d.offset > 0 {
		if base, known = u.at[d.offset]; !known {
			return false, nil
		}
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
	u.keep(d.start, unpacked{from.kind, content})
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

package git

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	gitbinary "github.com/go-git/go-git/v5/utils/binary"
	"github.com/klauspost/compress/zlib"
)

var errMalformedPack = errors.New("the pack is malformed")

// entry is the head of an object in a pack, as gitformat-pack(5) describes it.
type entry struct {
	start int64 // where the entry starts, in the file
	kind  plumbing.ObjectType
	size  int64 // of the content, unpacked

	baseStart int64 // of an OFSDeltaObject: where its base starts
	base      Hash  // of a REFDeltaObject
}

// entries reads packs that follow one another. The reader of go-git takes twice as long: it hands each byte on by itself.
// Nothing here checks the sum at the end of a pack, because each object is known by the digest of its content.
type entries struct {
	from  counted
	ahead *bufio.Reader
	zlib  io.ReadCloser // nil until the first object
}

// counted counts the bytes that were read.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func newEntries(r io.Reader) *entries {
	e := &entries{from: counted{Reader: r}}
	e.ahead = bufio.NewReaderSize(&e.from, 1<<16)
	return e
}

// at is how many bytes were taken in.
func (e *entries) at() int64 { return e.from.n - int64(e.ahead.Buffered()) }

// begin reads the head of a pack, and returns how many objects it has.
func (e *entries) begin() (count uint32, err error) {
	var head struct {
		Signature      [4]byte
		Version, Count uint32
	}
	if binary.Read(e.ahead, binary.BigEndian, &head) != nil || string(head.Signature[:]) != "PACK" || head.Version != 2 {
		return 0, errMalformedPack
	}
	return head.Count, nil
}

// end reads the sum at the end of a pack.
func (e *entries) end() error {
	if _, err := e.ahead.Discard(len(Hash{})); err != nil {
		return errMalformedPack
	}
	return nil
}

// next reads the head of an object.
func (e *entries) next() (o entry, err error) {
	o.start = e.at()
	c, err := e.ahead.ReadByte()
	o.kind, o.size = plumbing.ObjectType(c>>4&7), int64(c&0xf)
	for shift := 4; err == nil && c >= 0x80; shift += 7 {
		if c, err = e.ahead.ReadByte(); shift > 56 {
			return o, errMalformedPack
		}
		o.size |= int64(c&0x7f) << shift
	}
	if err != nil {
		return o, errMalformedPack
	}
	switch o.kind {
	case plumbing.OFSDeltaObject:
		back, err := gitbinary.ReadVariableWidthInt(e.ahead)
		if o.baseStart = o.start - back; err != nil || back <= 0 || o.baseStart < 0 {
			return o, errMalformedPack
		}
	case plumbing.REFDeltaObject:
		if o.base, err = gitbinary.ReadHash(e.ahead); err != nil {
			return o, errMalformedPack
		}
	}
	return o, nil
}

// content reads the content of an object, which must have its size.
func (e *entries) content(size int64) ([]byte, error) {
	var err error
	if e.zlib == nil {
		e.zlib, err = zlib.NewReader(e.ahead)
	} else {
		err = e.zlib.(zlib.Resetter).Reset(e.ahead, nil)
	}
	if err != nil {
		return nil, errMalformedPack
	}
	content := make([]byte, size)
	if _, err := io.ReadFull(e.zlib, content); err != nil {
		return nil, errMalformedPack
	}
	if n, err := e.zlib.Read(make([]byte, 1)); n > 0 || err != io.EOF {
		return nil, errMalformedPack
	}
	return content, nil
}

package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"
)

// packLevel is how hard new objects are compressed. Most are a kilobyte or two, and the
// usual level takes three times as long for packs that are a twentieth smaller.
const packLevel = zlib.BestSpeed

// encodePack writes objects as a pack: each whole, in the order given.
func encodePack(objects inMemory, order []Hash) []byte {
	var pack bytes.Buffer
	pack.WriteString("PACK")
	pack.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(order))))
	z, _ := zlib.NewWriterLevel(&pack, packLevel) // there is that level, and nothing fails that is written to memory
	for _, h := range order {
		o := objects[h]
		pack.Write(entryHead(o.kind, uint64(len(o.content))))
		z.Reset(&pack)
		_, _ = z.Write(o.content)
		_ = z.Close()
	}
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])
	return pack.Bytes()
}

// entryHead encodes the type and the size of an object in a pack: three bits of type and
// four of size, and the other bits of the size in groups of seven.
func entryHead(kind plumbing.ObjectType, size uint64) []byte {
	b := byte(kind)<<4 | byte(size&15)
	size >>= 4
	if size == 0 {
		return []byte{b}
	}
	return binary.AppendUvarint([]byte{b | 0x80}, size)
}

package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"io"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/klauspost/compress/zlib"
)

// packLevel is how hard new objects are compressed. Most are a kilobyte or two, and the
// usual level takes three times as long for packs that are a twentieth smaller.
const packLevel = zlib.BestSpeed

// encodePack writes objects as a pack: each whole, in the order given.
func encodePack(objects []plumbing.EncodedObject) ([]byte, error) {
	var pack bytes.Buffer
	pack.WriteString("PACK")
	pack.Write(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), uint32(len(objects))))
	z, err := zlib.NewWriterLevel(&pack, packLevel)
	if err != nil {
		return nil, err
	}
	for _, o := range objects {
		pack.Write(entryHead(o.Type(), uint64(o.Size())))
		z.Reset(&pack)
		content, err := o.Reader()
		if err != nil {
			return nil, err
		}
		if _, err := io.Copy(z, content); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
	}
	sum := sha1.Sum(pack.Bytes())
	pack.Write(sum[:])
	return pack.Bytes(), nil
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

package status

import (
	"hash/maphash"
	"sync"
)

// words shares texts that occur again and again in a ledger: names of pools and
// policies, reasons, commits. A word takes the place of another at will.
type words [1 << 12]string

var (
	knownWords = sync.Pool{New: func() any { return new(words) }}
	wordSeed   = maphash.MakeSeed()
)

func (w *words) text(b []byte) string {
	if w == nil || len(b) > 64 {
		return string(b)
	}
	at := &w[maphash.Bytes(wordSeed, b)%uint64(len(w))]
	if *at != string(b) {
		*at = string(b)
	}
	return *at
}

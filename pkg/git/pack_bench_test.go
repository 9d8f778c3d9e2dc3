package git

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkPack packs records of about the size of those on a status branch.
func BenchmarkPack(b *testing.B) {
	const files = 4000
	for b.Loop() {
		b.StopTimer()
		o := NewObjects()
		for i := range files {
			var s strings.Builder
			for k := range 12 {
				fmt.Fprintf(&s, "  \"field%d\": {\"name\": \"app-%d-%d\", \"digest\": \"%032x\", \"since\": \"2026-05-04T03:%02d:00Z\"},\n", k, i, k, uint64(i*k)*0x9e3779b97f4a7c15, k)
			}
			o.AddBlob([]byte(s.String()))
		}
		b.StartTimer()
		pack := o.Pack()
		b.ReportMetric(float64(len(pack))/files, "bytes/file")
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/files, "µs/file")
}

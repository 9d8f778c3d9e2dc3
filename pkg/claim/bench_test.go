package claim

import (
	"fmt"
	"testing"
)

// BenchmarkFleet: 10,000 applications, each with a host and five objects.
func BenchmarkFleet(b *testing.B) {
	var w world
	for i := range 10_000 {
		app, wants := fmt.Sprintf("t%03d/a%05d", i/100, i), fmt.Sprintf("a%d.example.com/", i)
		for j := range 5 {
			wants += fmt.Sprintf(", ConfigMap a%05d-%d", i, j)
		}
		w.git(app, "1", wants)
		w.ran(app, "1", wants, 0)
	}
	r := NewRegister(&w.fleet, w.specs)
	b.Run("register", func(b *testing.B) {
		for b.Loop() {
			NewRegister(&w.fleet, w.specs)
		}
	})
	b.Run("settle", func(b *testing.B) {
		for b.Loop() {
			r.Settle(w.fleet, &w.ledger, nil)
		}
	})
}

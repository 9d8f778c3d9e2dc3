package reconcile

import (
	"fmt"
	"testing"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
)

// BenchmarkVouch finds out which specs of an unsigned ledger of 10,000 applications their
// commits declare (DA2102): of a ledger that is new to the process, of one that a save has
// changed, and of the same one again. The fleet at hand declares them.
func BenchmarkVouch(b *testing.B) {
	const apps = 10_000
	d := &declared{o: &Options{}, accepted: source.Snapshot{Commit: "c"}}
	ledger := model.Ledger{Revision: model.Revision{1}}
	for i := range apps {
		id := model.AppID{Tenant: fmt.Sprintf("tenant-%03d", i/100), Name: fmt.Sprintf("app-%02d", i%100)}
		spec := &model.Application{ID: id, Release: model.DigestOf(id), Commit: "c", Components: make([]model.Component, 3)}
		d.fleet.Applications = append(d.fleet.Applications, spec)
		ledger.Instances = append(ledger.Instances, model.Instance{App: id, Phase: model.PhaseRunning, Spec: spec})
	}
	for name, prepare := range map[string]func(i int){
		"new":     func(int) { d.vouched = vouched{} },
		"changed": func(i int) { ledger.Revision = model.Revision{2, byte(i), byte(i >> 8), byte(i >> 16)} },
		"same":    func(int) {},
	} {
		b.Run(name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				prepare(i)
				d.vouch(&ledger)
			}
			if len(d.vouched.doubts) > 0 || !d.vouched.settled {
				b.Fatal("not all are vouched for")
			}
		})
	}
}

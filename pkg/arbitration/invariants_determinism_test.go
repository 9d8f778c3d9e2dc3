package arbitration_test

import (
	"encoding/json"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

// I1. Equal inputs give equal rulings, however often they are asked for and on
// however many processors.
func TestTheSameInputsGiveTheSameRuling(t *testing.T) { holds(t, 2, sameRulingAgain) }

func sameRulingAgain(t *rapid.T) {
	s := dressed(t).lived(t)
	want := model.DigestOf(s.Decide())
	for _, n := range []int{1, 2, 16} {
		before := runtime.GOMAXPROCS(n)
		got := model.DigestOf(s.Decide())
		runtime.GOMAXPROCS(before)
		if got != want {
			t.Fatalf("another ruling on %d processors", n)
		}
	}
}

// I2. The order of every list of the input does not matter. Instances of the
// ledger are sorted by contract.
func TestTheOrderOfEveryInputDoesNotMatter(t *testing.T) { holds(t, 3, orderDoesNotMatter) }

func orderDoesNotMatter(t *rapid.T) {
	draw := rapid.SampledFrom([]func(*rapid.T) *scene{dressed, timed}).Draw(t, "draw")
	s := draw(t).lived(t)
	s.Advises = s.one(4)
	ruling := s.Decide()
	want := model.DigestOf(ruling)
	o := s.clone()
	o.Shuffle(s.rng)
	p := o.Fleet.Platform
	p.Groups, p.Bands, p.Pools = slices.Clone(p.Groups), slices.Clone(p.Bands), slices.Clone(p.Pools)
	s.rng.Shuffle(len(p.Groups), func(i, j int) { p.Groups[i], p.Groups[j] = p.Groups[j], p.Groups[i] })
	s.rng.Shuffle(len(p.Bands), func(i, j int) { p.Bands[i], p.Bands[j] = p.Bands[j], p.Bands[i] })
	s.rng.Shuffle(len(p.Pools), func(i, j int) { p.Pools[i], p.Pools[j] = p.Pools[j], p.Pools[i] })
	for i := range o.Seen.Pools {
		o.Seen.Pools[i].Domains = slices.Clone(o.Seen.Pools[i].Domains)
		slices.Reverse(o.Seen.Pools[i].Domains)
	}
	if other := o.Decide(); model.DigestOf(other) != want {
		t.Fatalf("another ruling in another order: %s", differing(ruling.Decisions, other.Decisions))
	}
}

// I3. Other names in the same order give the same ruling with the other names.
// Names that sort differently may decide between exact equals, and nothing else.
func TestNamesDoNotMatter(t *testing.T) { holds(t, 2, namesDoNotMatter) }

var named = regexp.MustCompile(`\b(tenant|group|pool|app|late)-\d`)

func namesDoNotMatter(t *rapid.T) {
	s := dressed(t).lived(t)
	s.Advises = s.one(4)
	o := s.clone()
	o.Fleet, o.Seen, o.Ledger = model.Fleet{}, model.Observation{}, model.Ledger{} // nothing shared
	rename(t, s.Fleet, &o.Fleet)
	for i, app := range o.Fleet.Applications {
		app.Release = s.Fleet.Applications[i].Release
	}
	rename(t, s.Seen, &o.Seen)
	for _, inst := range s.Ledger.Instances {
		var other model.Instance
		rename(t, inst, &other)
		if inst.Spec != nil {
			other.Spec = &model.Application{}
			rename(t, inst.Spec, other.Spec)
			other.Spec.Release = inst.Spec.Release
		}
		o.Ledger.Instances = append(o.Ledger.Instances, other)
	}
	rename(t, s.Ledger.Decisions, &o.Ledger.Decisions)
	want, got := s.Decide(), o.Decide()
	for i := range want.Decisions { // what they were computed from has other names
		for _, d := range []*model.Decision{&want.Decisions[i], &got.Decisions[i]} {
			if d.Inputs = (model.Inputs{}); d.Advised != nil {
				d.Advised = new(*d.Advised)
				d.Advised.On = nil
			}
		}
	}
	for i := range want.Decisions {
		w, _ := json.Marshal(want.Decisions[i])
		g, _ := json.Marshal(got.Decisions[i])
		if strings.ReplaceAll(string(g), "zz", "") != string(w) {
			t.Fatalf("with other names: %s not %s", g, w)
		}
	}
}

// rename copies a value with "zz" before every name. Digests stay.
func rename(t *rapid.T, from, to any) {
	text, err := json.Marshal(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(named.ReplaceAll(text, []byte("zz$0")), to); err != nil {
		t.Fatal(err)
	}
}

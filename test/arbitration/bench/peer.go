package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// peerModule is the Go module that decides a world with Kueue. It is one of its own, for its weight.
const peerModule = "test/peers/kueue"

// peerWorld is a world in the words of Kueue: what peerModule reads.
type peerWorld struct {
	Fair      bool           `json:"fair"`
	Queues    []peerQueue    `json:"queues"`
	Workloads []peerWorkload `json:"workloads"`
}

type peerQueue struct {
	Name, Cohort string
	Nominal      int64
	Borrow       *int64
}

type peerWorkload struct {
	Name, Queue string
	CPU         int64
	Priority    int
	Running     bool
}

// peerFigures are what peerModule prints.
type peerFigures struct {
	CPU                       float64
	Cycles, Admitted, Evicted int
}

// peerOf says a world in Kueue's words: a tenant is a queue, a group a cohort without another one above it.
func peerOf(w *world.World, fair bool) peerWorld {
	p := peerWorld{Fair: fair}
	cohort := map[string]string{}
	for _, g := range w.Fleet.Platform.Groups {
		for _, t := range g.Tenants {
			cohort[t] = g.Name
		}
	}
	for _, t := range w.Fleet.Tenants {
		q := peerQueue{Name: t.Name, Cohort: "all", Nominal: t.Guarantee.CPU}
		if group := cohort[t.Name]; group != "" {
			q.Cohort = group
		}
		if t.Borrow != nil {
			q.Borrow = &t.Borrow.CPU
		}
		p.Queues = append(p.Queues, q)
	}
	for _, app := range w.Fleet.Applications {
		inst, found := w.Ledger.Find(app.ID)
		running := found && inst.Phase.Active()
		p.Workloads = append(p.Workloads, peerWorkload{
			Name: app.ID.Tenant + "." + app.ID.Name, Queue: app.ID.Tenant, Priority: app.Priority,
			CPU: app.Components[0].Requests.CPU, Running: running,
		})
	}
	return p
}

// instance is a world that both decide.
type instance struct {
	name    string
	world   *world.World
	waiting int  // how many
	preempt bool // whoever waits can get in by preemption only
}

// peers decides the worlds of the other measurements with Kueue, too, in the same run.
func peers(s size) (rows []row) {
	program, err := buildPeer()
	if err != nil {
		return []row{{what: "Kueue", figure: "not measured: " + err.Error()}}
	}
	defer os.Remove(program)
	baseline, large := generate.Baseline, generate.LargeScale
	large.Groups = s.of(large.Groups, 1)
	of := []instance{
		{"baseline, 30 tenants, 15000 wait", baseline.World(), baseline.Applications(), false},
		{fmt.Sprintf("large-scale, %d tenants, %d wait", large.Groups*large.Tenants, large.Applications()), large.World(), large.Applications(), false},
	}
	for _, reclaim := range []bool{false, true} {
		kind := map[bool]string{false: "inside tenants", true: "between tenants"}[reclaim]
		for _, running := range []int{1000, 3000, s.of(10_000, 5000)} {
			c := generate.Crowded{Tenants: 100, Running: running, Reclaim: reclaim}
			if reclaim && running > 3000 {
				c.Ask = 10 // Kueue takes seconds for each
			}
			asking := len(c.Asking())
			of = append(of, instance{fmt.Sprintf("preemption %s, %d running, %d ask", kind, running, asking), c.World(true), asking, true})
		}
	}
	for _, one := range of {
		for _, fair := range []bool{false, true} {
			got, err := askPeer(program, peerOf(one.world, fair))
			name := fmt.Sprintf("Kueue v0.14.0, fair sharing %s: %s", map[bool]string{false: "off", true: "on"}[fair], one.name)
			if err != nil {
				rows = append(rows, row{what: name, figure: "not measured: " + err.Error()})
				continue
			}
			rows = append(rows, row{what: name, figure: one.figure(got)})
		}
		d, _ := several(one.world, s.of(repeats, 1))
		_, changes := one.world.Round()
		rows = append(rows, row{
			what:   "D-AROS: " + one.name,
			figure: one.figure(peerFigures{CPU: d.median().Seconds(), Cycles: 1, Admitted: len(changes.Admitted), Evicted: len(changes.Evicted)}),
		})
	}
	return rows
}

// figure says what the decisions cost: each that was asked for, or each that let somebody in.
func (i instance) figure(f peerFigures) string {
	all := time.Duration(f.CPU * float64(time.Second))
	what := fmt.Sprintf("%.0f decisions per CPU-second", float64(i.waiting)/f.CPU)
	if i.preempt {
		what = ms(all/time.Duration(max(f.Admitted, 1))) + " CPU for each let in"
	}
	return fmt.Sprintf("%s (%s in all, %d in, %d out, cycles: %d)", what, ms(all), f.Admitted, f.Evicted, f.Cycles)
}

// buildPeer builds peerModule, from the checkout that this runs in.
func buildPeer() (string, error) {
	if _, err := os.Stat(filepath.Join(peerModule, "go.mod")); err != nil {
		return "", errors.New(peerModule + " is not here; run this in the directory of the checkout")
	}
	file, err := os.CreateTemp("", "kueue-")
	if err != nil {
		return "", err
	}
	file.Close()
	build := exec.Command("go", "build", "-o", file.Name(), ".")
	build.Dir = peerModule
	if out, err := build.CombinedOutput(); err != nil {
		os.Remove(file.Name())
		text, _, _ := strings.Cut(string(bytes.TrimSpace(out)), "\n")
		return "", fmt.Errorf("build %s: %s", peerModule, text)
	}
	return file.Name(), nil
}

func askPeer(program string, w peerWorld) (f peerFigures, err error) {
	in, err := json.Marshal(w)
	if err != nil {
		return f, err
	}
	ask := exec.Command(program)
	ask.Stdin, ask.Stderr = bytes.NewReader(in), os.Stderr
	out, err := ask.Output()
	if err != nil {
		return f, err
	}
	return f, json.Unmarshal(out, &f)
}

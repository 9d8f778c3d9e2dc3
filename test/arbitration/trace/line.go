package trace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
)

// Line is how jobs wait in one line.
type Line string

// Lines.
const (
	Unknown  Line = "no times are known" // as if no job said how long it takes
	Backfill Line = "times, backfill: reserve"
	InOrder  Line = "times, backfill: off"
)

// Lines are all of them.
var Lines = []Line{Unknown, Backfill, InOrder}

// join has a job wait in the line of the only tenant.
func (r *replay) join(j *Job) {
	own := *j
	own.ID.Tenant = tenantName(0)
	own.ID.Name = j.ID.Tenant + "-" + j.ID.Name
	r.jobs[own.ID], r.left[own.ID] = &own, j.Lasts
	app := generate.App(own.ID.Tenant, own.ID.Name, priorities["Burstable"], j.Replicas, j.Requests, &r.world.Fleet.Platform.Policy)
	if app.Components[0].Type = "job"; r.figures.Setting.Line != Unknown {
		app.Components[0].Expect = time.Duration(j.Lasts) * time.Second
	}
	r.world.Declare(app)
	r.figures.Applications++
}

// keep remembers what jobs are told first of when they start, and whether they started later. What stands better may become
// the first of the line in place of another, which is told nothing then: it no longer counts.
func (f *Figures) keep(ruling model.Ruling, c world.Changes, now time.Time) {
	for _, id := range c.Admitted {
		if at, told := f.promised[id]; told {
			delete(f.promised, id)
			if f.Kept++; now.After(at) {
				f.Kept, f.Later = f.Kept-1, f.Later+1
			}
		}
	}
	for i := range ruling.Decisions {
		d := &ruling.Decisions[i]
		at, told := f.promised[d.App]
		switch {
		case d.Starts != nil && (!told || d.Starts.At.Before(at)):
			f.promised[d.App] = d.Starts.At
		case d.Starts == nil && told:
			delete(f.promised, d.App)
			f.Overtaken++
		}
	}
}

// waitOfAll is how long jobs of all classes waited.
func (f *Figures) waitOfAll() (w Wait) {
	var all []int64
	for id := range f.classes {
		all = append(all, f.waits[id])
		w.Mean += f.waits[id]
	}
	slices.Sort(all)
	return Wait{Mean: w.Mean / int64(len(all)), P95: all[(len(all)-1)*95/100], Most: all[len(all)-1]}
}

// LineTable writes the figures of lines one below the other, in Markdown.
func LineTable(all []*Figures) string {
	var b strings.Builder
	b.WriteString("| one line | GPUs in use, while something waits | wait: mean, p95, most | start as told, or sooner | later than told | no longer first |\n|---|--:|--:|--:|--:|--:|\n")
	for _, f := range all {
		w := f.waitOfAll()
		fmt.Fprintf(&b, "| %s | %.1f %% | %s, %s, %s | %d | %d | %d |\n", f.Setting.Line, 100*f.UseShort, span(w.Mean), span(w.P95), span(w.Most), f.Kept, f.Later, f.Overtaken)
	}
	return b.String()
}

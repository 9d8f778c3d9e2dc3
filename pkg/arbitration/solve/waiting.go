package solve

import "math"

// Waiting sums up who waits in a solved case, for trials with more of what many share.
type Waiting struct {
	*Case
	lines     []waitingLine // by tenant; see line
	unsettled []*App        // that the gate refused, or of which it refused a flavour or a newer spec
}

// waitingLine sums up who waits of a tenant, and who may give way for them.
type waitingLine struct {
	summed    bool
	least     Vector // no more than what any of them asks for at the least
	highest   int    // priority of those that may take from their tenant
	lowest    int    // priority of what runs
	otherwise bool   // one of them may get something otherwise than by its place in line
}

// SumUp sums up a case as it is now.
func (w *Waiting) SumUp(c *Case) {
	*w = Waiting{Case: c, lines: make([]waitingLine, len(c.Nodes))}
	for _, app := range c.Apps {
		if app.Refused != nil || app.Levels == nil || app.Passed != nil {
			w.unsettled = append(w.unsettled, app)
		}
	}
}

// line sums up the line of a tenant when it is first asked for. No trial changes any of it.
func (w *Waiting) line(tenant int) *waitingLine {
	l := &w.lines[tenant]
	if l.summed {
		return l
	}
	*l = waitingLine{summed: true, highest: math.MinInt, lowest: math.MaxInt}
	for _, app := range w.Members[tenant] {
		if w.mayGiveWay(app) {
			l.lowest = min(l.lowest, app.Priority)
		}
	}
	for n, app := range w.Pending[tenant] {
		if least := app.Levels[len(app.Levels)-1].Total; n == 0 {
			l.least = append(Vector(nil), least...)
		} else {
			for r := range l.least {
				l.least[r] = min(l.least[r], least[r])
			}
		}
		if Preemption(app.Policy()) >= WithinTenant {
			l.highest = max(l.highest, app.Priority)
		}
		l.otherwise = l.otherwise || app.Variants != nil || patient(w.Now, app)
	}
	return l
}

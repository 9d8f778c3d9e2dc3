package page

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Branch is what the first page says of the branch that it stands on.
type Branch struct {
	Open    bool      // nobody signs it
	Foreign []Foreign // commits on it that were not believed

	Links model.Links // where the platform names none
}

// Foreign is a commit of the branch that was not believed.
type Foreign struct {
	Commit, Why string // a clause: "is not signed"
	Found       time.Time
}

// Fleet returns the first page: the fleet at a glance, of a size that can be read
// however large the fleet is, with warnings about the branch.
func Fleet(l *model.Ledger, used map[string]model.Usage, on Branch) []byte {
	p := &page{rows: 100, to: linkingTo(l.LinksOr(on.Links), maxLinksFirst)}
	name := "Fleet"
	if l.Platform != nil && l.Platform.Name != "" {
		name = "Fleet " + escape(l.Platform.Name)
	}
	p.line("# %s\n", name)
	if l.Commit != "" {
		p.line("What runs and why, as of source commit %s.", p.to.commit(l.Commit, 40))
	}
	if u := l.Source.Unread; u != nil {
		p.line("**The fleet repo cannot be read since %s**: %s. This page is about the last commit that was read.\n", moment(u.Since), escape(u.Cause))
	}
	if l.Source.Replaced != "" {
		p.line("This commit does not follow from %s, which was in force before it: the branch was moved back or rewritten.\n", code(l.Source.Replaced))
	}
	if n := l.Source.Left; n > 0 {
		p.line("%d applications of this commit have no record yet: the next saves bring them.\n", n)
	}
	p.line("D-AROS writes this branch; changes made here by hand get lost.\n")
	if on.Open {
		p.line("**This branch is not signed**: who can push to it controls what runs. Give the reconciler a key with %s.\n", code("--status-key"))
	}
	for _, f := range on.Foreign {
		p.line("**Commit %s of this branch, found %s, %s**: nothing that it says was believed. Find out who can push here.\n", code(f.Commit), moment(f.Found), escape(f.Why))
	}

	counts := map[model.Phase]int{}
	for i := range l.Instances {
		counts[l.Instances[i].Phase]++
	}
	var phases [][]string
	for _, ph := range model.Phases {
		if n := counts[ph]; n > 0 {
			phases = append(phases, []string{phase(ph), fmt.Sprint(n)})
		}
	}
	p.table("", []string{"Phase", "Applications"}, phases)

	names := tenantNames(l)
	columns, cost := []string{"Tenant", "Applications", "Running", "CPU", "Memory", "Devices"}, costsOf(l)
	if cost != nil {
		columns = append(columns, "Per hour")
		p.line("What is granted costs **%s** per hour.\n", cost.all())
	}
	tenants := rowsOf(names, func(name string) []string {
		row := tenantRow(l, name, used[name])
		if cost != nil {
			row = append(row, plan.Money(cost[name]))
		}
		return row
	})
	p.table("Tenants", columns, tenants)
	p.links(names[min(len(names), p.rows):], 48<<10, func(tenant string) string { return Dir + "/" + tenant + "/" + File })
	p.table("Over quota", []string{"Tenant or group", "Resource", "Granted", "Quota", "Since"}, rowsOf(l.OverQuota, overQuotaRow))
	p.table("Capacity", []string{"Pool", "Nodes", "CPU granted", "Memory granted", "Devices granted"}, poolRows(l))
	p.table("What waits", []string{"Application", "Place", "Why", "What would admit it"}, waitingRows(l))
	p.table("What waits for people", []string{"Application", "Step", "Waits for", "Until", "To end that"}, peopleRows(l))
	p.table("What is refused or reduced", []string{"Application", "Phase", "Reason", "Why", "What would admit it"}, refusedRows(l))
	p.table("What no record knows", []string{"Instance", "Objects", "Source commit", "Ledger", "Removal"}, orphanRows(l))
	p.table("What cannot be used", []string{"Where", "Code", "What is wrong"}, p.to.problems(l.Problems, l.Commit, brief))
	return p.bytes()
}

// tenantNames lists the tenants that the ledger names.
func tenantNames(l *model.Ledger) []string {
	names := model.Names(l.Tenants)
	for i := range l.Instances {
		if t := l.Instances[i].App.Tenant; len(names) == 0 || names[len(names)-1] != t {
			names = append(names, t)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func tenantRow(l *model.Ledger, name string, u model.Usage) []string {
	var quota model.Resources
	limited := false
	apps := fmt.Sprint(u.Applications)
	if t, ok := model.Find(l.Tenants, name); ok {
		if t.Quota != nil {
			quota, limited = *t.Quota, true
		}
		if t.MaxApplications > 0 {
			apps += fmt.Sprintf(" of %d", t.MaxApplications)
		}
	}
	var devices []string
	for _, d := range u.Granted.Names(quota)[2:] {
		devices = append(devices, code(d)+" "+share(d, u.Granted.Get(d), quota.Get(d), limited))
	}
	return []string{
		fmt.Sprintf("[%s](%s/%s/%s)", name, Dir, name, File), apps, fmt.Sprint(u.Running),
		share("cpu", u.Granted.CPU, quota.CPU, limited), share("memory", u.Granted.Memory, quota.Memory, limited),
		strings.Join(devices, "<br>"),
	}
}

func overQuotaRow(q model.OverQuota) []string {
	n := model.ReadableAmounts(q.Resource, q.Granted, q.Limit)
	owner := "group " + q.Group
	if q.Tenant != "" {
		owner = fmt.Sprintf("[%s](%s/%s/%s)", q.Tenant, Dir, q.Tenant, File)
	}
	return []string{owner, code(q.What()), n[0], n[1], moment(q.Since)}
}

// share writes "███████░░░ 70 % (45 of 64)", or only the amount where there is
// no limit.
func share(resource string, used, limit int64, limited bool) string {
	if !limited {
		return model.ColumnAmounts(resource, used)[0]
	}
	amounts := model.ColumnAmounts(resource, used, max(0, limit))
	if limit <= 0 {
		return amounts[0] + " of 0"
	}
	return fmt.Sprintf("%s (%s of %s)", bar(used, limit), amounts[0], amounts[1])
}

func poolRows(l *model.Ledger) [][]string {
	granted := map[string]model.Resources{}
	for i := range l.Instances {
		if !l.Instances[i].Phase.Active() {
			continue
		}
		for _, c := range l.Instances[i].Components {
			granted[c.Grant.Pool] = granted[c.Grant.Pool].Add(c.Takes())
		}
	}
	return rowsOf(l.Pools, func(pool model.Pool) []string {
		g := granted[pool.Name]
		var devices []string
		for _, d := range pool.Capacity.Names()[2:] {
			devices = append(devices, code(d)+" "+share(d, g.Get(d), pool.Capacity.Get(d), true))
		}
		return []string{
			escape(pool.Name), fmt.Sprint(pool.Nodes),
			share("cpu", g.CPU, pool.Capacity.CPU, true), share("memory", g.Memory, pool.Capacity.Memory, true),
			strings.Join(devices, "<br>"),
		}
	})
}

func waitingRows(l *model.Ledger) [][]string {
	var waiting []*model.Decision
	for i := range l.Decisions {
		if l.Decisions[i].Verdict == model.VerdictWaiting {
			waiting = append(waiting, &l.Decisions[i])
		}
	}
	slices.SortStableFunc(waiting, func(a, b *model.Decision) int { return a.Position - b.Position })
	return rowsOf(waiting, func(d *model.Decision) []string {
		return []string{appLink(d.App), fmt.Sprint(d.Position), brief(d.Message), remedy(d)}
	})
}

// remedy is the change that would admit an application, of several the one that costs others least, or that none would. Of
// an application that was not advised yet it is what the first check that fails lacks, and where its limit is set.
func remedy(d *model.Decision) string {
	switch sentence, changes := d.Advising(); {
	case len(changes) > 0:
		return brief(changes[0])
	case d.Advised != nil:
		return brief(sentence)
	}
	short := slices.DeleteFunc(slices.Clone(d.Constraints), func(c model.Constraint) bool { return c.OK })
	if len(short) == 0 {
		return ""
	}
	first := &short[0]
	said := first.Name + ": asks for " + first.Asked + ", the limit is " + first.Limit
	if first.Short != "" {
		said = first.Name + ": ask for " + first.Short + " less, or raise the limit of " + first.Limit
	}
	if first.At != "" {
		said += " (" + first.At + ")"
	}
	if more := len(short) - 1; more > 0 {
		said += fmt.Sprintf("; and %s more", text.Count(more, "check"))
	}
	return brief(said)
}

// peopleRows lists the steps of workflows that go on only if somebody acts.
func peopleRows(l *model.Ledger) [][]string {
	type wait struct {
		app model.AppID
		workflow.Wait
	}
	var list []wait
	for i := range l.Instances {
		in := &l.Instances[i]
		for _, w := range workflow.Waits(in.Run, in.RunSpec()) {
			if w.People {
				list = append(list, wait{in.App, w})
			}
		}
	}
	return rowsOf(list, func(w wait) []string {
		return []string{appLink(w.app), code(w.Step), brief(w.For), moment(w.Until), code(w.Command(w.app))}
	})
}

func refusedRows(l *model.Ledger) [][]string {
	var list []*model.Instance
	for i := range l.Instances {
		if in := &l.Instances[i]; in.Refused != nil || in.Phase == model.PhaseRejected || in.Phase == model.PhaseDegraded {
			list = append(list, in)
		}
	}
	return rowsOf(list, func(in *model.Instance) []string {
		would := ""
		if d, ok := l.Decision(in.App); ok {
			would = remedy(d)
		}
		if in.Refused != nil {
			return []string{appLink(in.App), phase(in.Phase), "update: " + brief(string(in.Refused.Reason)), brief(in.Refused.Message), would}
		}
		return []string{appLink(in.App), phase(in.Phase), brief(string(in.Reason)), brief(in.Message), would}
	})
}

// orphanRows lists objects in the cluster that stay because nothing says who wanted them.
func orphanRows(l *model.Ledger) [][]string {
	return rowsOf(l.Orphans, func(o model.Inventory) []string {
		removal := "needs a file that confirms it"
		if o.Confirmed {
			removal = "confirmed"
		}
		return []string{code(o.ID().String()), fmt.Sprint(o.Objects), code(o.Commit), code(o.Ledger), removal}
	})
}

// appLink links to the page of an application, from the first page.
func appLink(app model.AppID) string {
	return fmt.Sprintf("[%s](%s/%s/%s)", app, Dir, app, File)
}

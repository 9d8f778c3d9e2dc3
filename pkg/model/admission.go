package model

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// AdmissionChange is a value that arbitration and the lifecycle go by, and that is
// another one than before although the release is the same.
type AdmissionChange struct {
	Path  string `json:"path"`            // policy.limits.maxReplicas, priority, components.web.replicas
	Old   string `json:"old,omitempty"`   // "": there was none
	New   string `json:"new,omitempty"`   // "": there is none any more
	Layer string `json:"layer,omitempty"` // schema | platform | tenant | application: who set it
	At    string `json:"at,omitempty"`    // file:line:column of the new value, where it is known
}

// AdmissionChangeLimit bounds the changes that one transition lists.
const AdmissionChangeLimit = 20

// maxAdmissionValue bounds a value of an AdmissionChange, in bytes.
const maxAdmissionValue = 500

// String writes the change as "priority: 300 → 301 (application, tenants/…/app.cue:5:12)".
func (c AdmissionChange) String() string {
	text := c.Path + ": " + cmp.Or(c.Old, "none") + " → " + cmp.Or(c.New, "none")
	if c.Layer == "" {
		return text
	}
	return text + " (" + strings.TrimSuffix(c.Layer+", "+c.At, ", ") + ")"
}

// AdmissionText names the first changes, and counts the others.
func AdmissionText(changes []AdmissionChange) string {
	const most = 3
	parts := make([]string, 0, most+1)
	for _, c := range changes[:min(len(changes), most)] {
		parts = append(parts, c.String())
	}
	if more := len(changes) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

// AdmissionChanges lists what differs between two specs of one release, in the order
// in which people read a spec. A default of the schema that the spec before did not know
// came with a newer version: it is no change that anybody made.
func AdmissionChanges(before, after *Application) (changes []AdmissionChange) {
	old, now := admission(before), admission(after)
	for _, v := range now {
		if was := Get(old, v.Path).Value; was != v.Value && (was != "" || v.Layer != "schema") {
			changes = append(changes, AdmissionChange{v.Path, brief(was), brief(v.Value), v.Layer, v.At})
		}
	}
	for _, v := range old {
		if _, there := Find(now, v.Path); !there {
			changes = append(changes, AdmissionChange{Path: v.Path, Old: brief(v.Value), Layer: v.Layer})
		}
	}
	return changes
}

// brief cuts a value that is too long for a record.
func brief(value string) string {
	if len(value) <= maxAdmissionValue {
		return value
	}
	end := maxAdmissionValue
	for !utf8.RuneStart(value[end]) {
		end--
	}
	return value[:end] + "…"
}

// admission lists all values of a spec that are not part of its release. Those that
// are not set are left out.
func admission(a *Application) (values []PolicyValue) {
	add := func(path, value string) {
		if value != "" {
			values = append(values, PolicyValue{path, value, "application", a.At[path]})
		}
	}
	add("desired", string(a.Desired))
	add("priority", strconv.Itoa(a.Priority))
	for _, name := range slices.Sorted(maps.Keys(a.Labels)) {
		add("labels."+name, a.Labels[name])
	}
	add("objectives.class", a.Objectives.Class)
	add("objectives.availability", fraction(int64(a.Objectives.Availability), 1_000_000))
	add("objectives.latencyP99", FormatDuration(a.Objectives.LatencyP99))
	add("budget.costPerHour", fraction(a.Budget, 1_000_000))
	add("lifecycle.deletion", string(a.Lifecycle.Deletion))
	add("lifecycle.onFailure", string(a.Lifecycle.OnFailure))
	add("lifecycle.threshold", count(a.Lifecycle.Threshold))
	add("lifecycle.window", FormatDuration(a.Lifecycle.Window))
	add("lifecycle.backoff.initial", FormatDuration(a.Lifecycle.Backoff.Initial))
	add("lifecycle.backoff.factor", count(a.Lifecycle.Backoff.Factor))
	add("lifecycle.backoff.max", FormatDuration(a.Lifecycle.Backoff.Max))
	add("lifecycle.quarantine", count(a.Lifecycle.Quarantine))
	for i := range a.Adopt {
		takes := a.Adopt[i].String()
		if a.Adopt[i].Prune {
			takes += ", pruned"
		}
		add("adopt."+strconv.Itoa(i), takes)
	}
	for _, c := range a.Components {
		add := func(field, value string) { add("components."+c.Name+"."+field, value) }
		add("definition", c.Definition)
		add("health", c.Health)
		add("replicas", strconv.Itoa(c.Replicas))
		add("critical", strconv.FormatBool(c.Critical))
		add("dependsOn", strings.Join(c.DependsOn, ", "))
		add("qos", c.QoS)
		if c.Degrade != nil {
			add("degrade.minReplicas", strconv.Itoa(c.Degrade.MinReplicas))
			add("degrade.qos", c.Degrade.QoS)
		}
		add("placement.pool", c.Placement.Pool)
		add("expect", FormatDuration(c.Expect))
		add("placement.flavours", flavourList(c.Placement.Flavours))
	}
	return append(values, a.Policy.values(a.InForce)...)
}

// values lists the values of a policy in the order of those in force, each with the layer
// that set it, where that is known.
func (p *Policy) values(inForce []PolicyValue) (values []PolicyValue) {
	add := func(path, value string) {
		if value == "" {
			return
		}
		set := Get(inForce, path)
		values = append(values, PolicyValue{"policy." + path, value, set.Layer, set.At})
	}
	list := func(s []string) string { return strings.Join(s, ", ") }
	add("limits.maxReplicas", count(p.MaxReplicas))
	add("limits.priorityCeiling", count(p.PriorityCeiling))
	add("limits.maxShare", fraction(int64(p.MaxShare), 1000))
	add("limits.grace", FormatDuration(p.MaxGrace))
	add("images.registries", list(p.Registries))
	add("runtimes", list(p.Runtimes))
	add("kinds", list(p.Kinds))
	add("overcommit.cpu", fraction(int64(p.OvercommitCPU), 1000))
	add("overcommit.memory", fraction(int64(p.OvercommitMem), 1000))
	add("preemption", string(p.Preemption))
	add("degradation", strconv.FormatBool(p.Degradation))
	add("requests", string(p.Requests))
	add("requiredLabels", list(p.RequiredLabels))
	add("strategies", list(p.Strategies))
	add("onUpdateFailure", string(p.OnUpdateFailure))
	add("deletion", string(p.Deletion))
	add("conflicts", string(p.Conflicts))
	add("immutable", string(p.Immutable))
	add("ladder", list(p.Ladder))
	add("minRuntime", FormatDuration(p.MinRuntime))
	add("restoreHold", FormatDuration(p.RestoreHold))
	add("restoreMargin", fraction(int64(p.RestoreMargin), 1000))
	add("reserveAfter", FormatDuration(p.ReserveAfter))
	add("backfill", string(cmp.Or(p.Backfill, BackfillReserve)))
	add("flavours", string(p.Flavours))
	add("priorityClaims", string(cmp.Or(p.PriorityClaims, ClaimsFull)))
	add("egress.hosts", list(p.Egress))
	add("network.egress", list(p.Exits))
	add("secrets.annotations", list(p.Accounts))
	add("existing.configs", list(p.Existing.Configs))
	add("existing.claims", list(p.Existing.Claims))
	add("existing.gateways", list(p.Existing.Gateways))
	add("rights", list(p.Rights))
	add("clusterRights", list(p.Reading))
	add("runtimeClasses", list(p.RuntimeClasses))
	if p.HostProcess {
		add("hostProcess", "true")
	}
	add("defaults.replicas", count(p.Replicas))
	add("defaults.priority", count(p.Priority))
	add("defaults.strategy", p.Strategy)
	add("defaults.startDeadline", FormatDuration(p.StartDeadline))
	add("defaults.unreadyAfter", FormatDuration(cmp.Or(p.UnreadyAfter, UnreadyAfter)))
	for _, name := range p.DefaultRequests.Names() {
		if n := p.DefaultRequests.Get(name); n != 0 {
			add("defaults.requests."+name, FormatAmount(name, n))
		}
	}
	return values
}

// The functions below write values as people write them; 0 is none.

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func fraction(n, of int64) string {
	if n == 0 {
		return ""
	}
	whole := fmt.Sprintf("%d.%0*d", n/of, len(strconv.FormatInt(of, 10))-1, n%of)
	return strings.TrimSuffix(strings.TrimRight(whole, "0"), ".")
}

// FormatDuration writes a time as people declare it: "1h30m"; 0 is "".
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return ""
	}
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

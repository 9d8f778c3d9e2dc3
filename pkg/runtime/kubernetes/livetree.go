package kubernetes

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/text"
)

// liveTree makes one list of what a cluster has and what is wanted.
type liveTree struct {
	app     model.AppID
	objects []*unstructured.Unstructured
	wanted  []render.Object
	listed  []apply.Ref               // in inventories
	whole   map[schema.GroupKind]bool // kinds of which all objects are here
}

// Bounds of what is said of an object, in bytes and numbers.
const (
	mostConditions = 20
	mostFields     = 50
	maxLiveValue   = 300
)

// list returns all objects, each after its owner: those of a component together, and what needs somebody first.
func (t *liveTree) list() []runtime.LiveObject {
	wanted := map[apply.Ref]*render.Object{}
	for i := range t.wanted {
		wanted[apply.RefOf(t.wanted[i].Object)] = &t.wanted[i]
	}
	there := map[apply.Ref]bool{}
	var all []runtime.LiveObject
	for _, u := range t.objects {
		r := apply.RefOf(u)
		there[r] = true
		if _, inventory := apply.Listed(u, t.app); inventory {
			continue
		}
		o := liveObject(u)
		if w := wanted[r]; w != nil && o.Owner == "" && r.Kind != secretKind.Kind {
			o.Compared, o.Fields = true, deviating(w.Object, u)
		}
		all = append(all, o)
	}
	for _, r := range slices.AppendSeq(slices.Clone(t.listed), maps.Keys(wanted)) { // what was applied, and what is wanted
		if there[r] || !t.whole[r.GroupKind()] {
			continue
		}
		there[r] = true
		o := runtime.LiveObject{ID: "missing " + r.String(), Kind: r.GroupKind().String(), Namespace: r.Namespace, Name: r.Name, State: runtime.LiveMissing, Why: "it was applied, and is not there"}
		if w := wanted[r]; w != nil {
			o.Component, o.Why = w.Component, "it is wanted, and is not there"
		}
		all = append(all, o)
	}
	return ordered(all)
}

// ordered puts each object after its owner. Objects that own each other in a circle have none.
func ordered(all []runtime.LiveObject) []runtime.LiveObject {
	at := map[string]int{}
	for i := range all {
		at[all[i].ID] = i
	}
	made := map[string][]int{}
	var roots []int
	for i := range all {
		if _, ok := at[all[i].Owner]; !ok || all[i].Owner == all[i].ID {
			all[i].Owner = ""
			roots = append(roots, i)
		} else {
			made[all[i].Owner] = append(made[all[i].Owner], i)
		}
	}
	list, placed := make([]runtime.LiveObject, 0, len(all)), make([]bool, len(all))
	place := func(roots []int) {
		next := byNeed(all, roots)
		for len(next) > 0 {
			i := next[len(next)-1]
			next = next[:len(next)-1]
			if placed[i] {
				continue
			}
			placed[i] = true
			for _, m := range made[all[i].ID] {
				all[m].Component = cmp.Or(all[m].Component, all[i].Component)
			}
			list = append(list, all[i])
			next = append(next, byNeed(all, made[all[i].ID])...)
		}
	}
	place(roots)
	for i := range all {
		if !placed[i] {
			all[i].Owner = ""
			place([]int{i})
		}
	}
	return list
}

// byNeed orders some objects for a stack: the one to look at first comes last.
func byNeed(all []runtime.LiveObject, which []int) []int {
	slices.SortFunc(which, func(a, b int) int {
		x, y := &all[b], &all[a]
		return cmp.Or(strings.Compare(x.Component, y.Component), liveRank(x)-liveRank(y), strings.Compare(x.Kind, y.Kind), strings.Compare(x.Name, y.Name))
	})
	return which
}

func liveRank(o *runtime.LiveObject) int {
	return slices.Index([]runtime.LiveState{runtime.LiveFailed, runtime.LiveMissing, runtime.LiveMoving, runtime.LiveLeaving, runtime.LiveReady, runtime.LiveDone, runtime.LiveIdle}, o.State)
}

// liveObject reads what is shown of an object.
func liveObject(u *unstructured.Unstructured) runtime.LiveObject {
	r := apply.RefOf(u)
	o := runtime.LiveObject{
		ID: string(u.GetUID()), Component: text.Clean(u.GetLabels()[render.LabelComponent]), Kind: r.GroupKind().String(), Namespace: r.Namespace, Name: r.Name,
		Made: u.GetCreationTimestamp().UTC(), Containers: containersOf(u),
	}
	if owner := metav1.GetControllerOfNoCopy(u); owner != nil {
		o.Owner = string(owner.UID)
	}
	o.State, o.Why, o.Ready = liveState(u)
	for _, c := range items(u.Object, "status", "conditions") {
		if len(o.Conditions) == mostConditions {
			break
		}
		o.Conditions = append(o.Conditions, runtime.LiveCondition{
			Type: text.Line(str(c, "type"), maxReason), Status: text.Line(str(c, "status"), maxReason), Reason: text.Line(str(c, "reason"), maxReason),
			Message: text.Line(str(c, "message"), maxSentence), Since: timeOf(str(c, "lastTransitionTime")),
		})
	}
	return o
}

// deviating returns the fields of an object that are not as wanted. The digest of configuration follows from values that the
// status branch does not have.
func deviating(wanted, u *unstructured.Unstructured) (list []runtime.LiveField) {
	for _, d := range apply.Compare(wanted, u, apply.FieldManager) {
		if len(list) == mostFields {
			break
		}
		if strings.HasSuffix(d.Path, "."+render.AnnotationConfig) {
			continue
		}
		list = append(list, runtime.LiveField{Path: text.Line(d.Path, maxLiveValue), Wanted: shown(d.Wanted), Live: shown(d.Live), Manager: text.Line(d.Manager, maxReason)})
	}
	return list
}

// shown writes a value as JSON, "" for none.
func shown(v any) string {
	if v == nil {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return text.Line(string(b), maxLiveValue)
}

package kubernetes

import (
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// Bounds of what definitions see of what is live, in bytes.
const (
	maxReported = 16 << 10 // of an object
	maxLive     = 64 << 10 // of a component
)

// reported returns what a definition sees of an object of a component that it judges, as
// JSON, else "". A status that is too large is left out.
func reported(u *unstructured.Unstructured, current bool) string {
	if metadata, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "annotations", render.AnnotationJudged); metadata == nil {
		return ""
	}
	said := map[string]any{"name": u.GetName(), "generation": u.GetGeneration(), "current": current}
	if status, ok := u.Object["status"].(map[string]any); ok {
		said["status"] = status
	}
	data, err := json.Marshal(said)
	if err == nil && len(data) > maxReported {
		said["status"] = map[string]any{}
		data, err = json.Marshal(said)
	}
	if err != nil {
		panic(fmt.Sprintf("encode what is reported of %s: %v", u.GetName(), err)) // it was decoded from JSON
	}
	return string(data)
}

// live returns what a definition sees of a workload and its objects, nil if none judges it:
// how much of it is ready, and a list of the objects of each kind, by name.
func live(w *model.Workload, objects []*apply.Object) []byte {
	size, kinds := 0, map[string]any{}
	for _, o := range slices.SortedFunc(slices.Values(objects), func(a, b *apply.Object) int { return a.Compare(b.Ref) }) {
		said := seen(o).live
		if said == "" {
			continue
		}
		if size += len(said); size > maxLive {
			break
		}
		list, _ := kinds[o.Kind].([]json.RawMessage)
		kinds[o.Kind] = append(list, json.RawMessage(said))
	}
	if len(kinds) == 0 {
		return nil
	}
	kinds["replicas"], kinds["ready"], kinds["current"] = w.Replicas, w.Ready, w.Current
	data, err := json.Marshal(kinds)
	if err != nil {
		panic(fmt.Sprintf("encode what is live of %s: %v", w.Component, err))
	}
	return data
}

package chaos

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/d-aros/d-aros/test/plant"
	"github.com/d-aros/d-aros/test/tier"
)

// planted are bugs, the fault that shows each, and the property that it breaks.
var planted = []struct {
	name     string
	edit     plant.Edit
	fault    string // "": none is needed
	property string
}{
	{"signatures are not verified", plant.Edit{File: "pkg/status/signing.go", Old: `_, err := s.Trust.Verify(c.Payload, c.Signature)`, New: `err := error(nil)`},
		"a record on the status branch is forged", "what ran keeps running"},
	{"objects of others are taken", plant.Edit{File: "pkg/apply/change.go", Old: "case another:\n\t\treturn v, now, w.foreign(u)", New: "case another:\n\t\treturn drifted, now, nil"},
		"", "objects of others stay as they are"},
	{"what goes is deleted by its name", plant.Edit{File: "pkg/apply/prune.go", Old: `case now.inventory != nil || !w.mine(now, t):`, New: `case now.inventory != nil || !w.mine(now, t) && now.UID == "":`},
		"somebody takes over the name of an object that goes", "objects of others stay as they are"},
	{"objects are written elsewhere", plant.Edit{File: "pkg/render/seal.go", Old: `u.SetNamespace(p.namespace)`, New: "u.SetNamespace(p.namespace)\n\t\tif u.GetKind() == \"ConfigMap\" {\n\t\t\tu.SetNamespace(p.namespace + \"-other\")\n\t\t}"},
		"", "the reconciler writes only to"},
	{"secrets are written", plant.Edit{File: "pkg/model/redact.go", Old: `if c.Type != "secret" || c.Redacted() || c.Encrypted() != "" {`, New: `if c.Type != "" || c.Redacted() || c.Encrypted() != "" {`},
		"", "no secret shows"},
	{"passes fail without a wait", plant.Edit{File: "pkg/reconcile/loop.go", Old: `case err != nil && next == 0:`, New: `case false:`},
		"the API server is away", "passes that fail wait"},
	{"the anchor is written in each pass", plant.Edit{File: "pkg/reconcile/identity.go", Old: ` || l.identity.anchored == saved.Identity {`, New: ` || l.identity.anchored.ID == "none" {`},
		"", "passes write nothing"},
}

// endsAtOnce demands that the run ends with the next check after a property is broken, whatever it waits for at that moment.
func endsAtOnce(t *testing.T, program string) {
	takes := fault{name: "an object of others is changed", begin: func(w *world) (func() error, error) {
		_, err := w.cluster.Clientset.CoreV1().Services(w.name+"-acme").Patch(w.t.Context(), "by-hand", types.MergePatchType,
			[]byte(`{"spec": {"selector": {"a": "c"}}}`), metav1.PatchOptions{})
		require.NoError(w.t, err)
		return nil, w.until("the end of the run", func() error { return errors.New("it goes on") })
	}}
	err := newWorld(t, program, 7).run([]fault{takes}, 0)
	for _, part := range []string{"objects of others stay as they are", "found by check 1, ", "while " + takes.name, "seed 7", "s " + takes.name} {
		require.ErrorContains(t, err, part)
	}
}

// TestPlanted: each bug breaks the property that it is about.
func TestPlanted(t *testing.T) {
	if !tier.Soak() {
		t.Skip("without -soak (make soak): builds the reconciler once for each bug")
	}
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			overlay, err := p.edit.Overlay("../..", t.TempDir())
			require.NoError(t, err)
			shown := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool { return f.name != p.fault })
			require.ErrorContains(t, newWorld(t, build(t, overlay), 1).run(shown, 0), p.property)
		})
	}
}

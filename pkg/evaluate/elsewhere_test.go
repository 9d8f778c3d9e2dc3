package evaluate

import (
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
)

// other is another process without the process. Some directories are too much for it.
type other struct {
	worker  Worker
	known   map[string][]byte
	asked   int
	failing error
}

func newOther() *other { return &other{known: map[string][]byte{}} }

// examined evaluates once what the tests of all examples share. That an answer which is recalled is the one that was
// evaluated is a test of its own.
var examined = newOther()

func (o *other) Run(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

func (o *other) Recall(key string) ([]byte, bool) {
	data, ok := o.known[key]
	return data, ok
}

func (*other) Refused(string, string) error { return nil }

func (*other) Allot(map[string]time.Duration) {}

func (o *other) Evaluate(_, key string, request []byte) ([]byte, error) {
	o.asked++
	if o.failing != nil {
		return nil, o.failing
	}
	data, err := o.worker.Answer(request)
	if err == nil {
		o.known[key] = data
	}
	return data, err
}

// A fleet of recalled answers is the fleet that was evaluated. What examples share is evaluated once.
func TestRecalledIsTheSame(t *testing.T) {
	base, backend := archive(t, "base.txtar"), examined
	cases := sample(examples(t))
	cases["base"] = overlay("README.md", "")
	cases["full"] = archive(t, "full.txtar")
	cases["three"] = threeApplications(t)
	for _, name := range sortedNames(cases) {
		t.Run(name, func(t *testing.T) {
			files, _ := split(cases[name])
			tree := unpack(base, files)
			if name == "full" {
				tree = unpack(files)
			}
			want := Through(backend).Fleet("c", tree, beforeShop)
			backend.asked = 0
			require.Equal(t, want, Through(backend).Fleet("c", tree, beforeShop), "recalled")
			require.Zero(t, backend.asked, "nothing that is known is evaluated")
		})
	}
}

// The short way says the same as the instance.
func TestFormIsTheInstance(t *testing.T) {
	in := shopRequest(t)
	require.Equal(t, evaluateApplication(in, layer.Form{}), evaluateApplication(in, layer.NewForm()))

	base, backend := archive(t, "base.txtar"), examined
	for name, a := range sample(examples(t)) {
		files, _ := split(a)
		in, ok := applicationOf(backend, unpack(base, files), "shop")
		if !ok {
			continue
		}
		require.Equal(t, evaluateApplication(in, layer.Form{}), evaluateApplication(in, layer.NewForm()), name)
	}
}

// What is not plain has its meaning in the instance only: the schema's defaults
// are there to be referred to.
func TestReferencesSeeDefaults(t *testing.T) {
	app := "package fleet\n\napplication: {\n\tname: \"shop\"\n\tlabels: team: \"x\"\n\tif application.desired != _|_ {priority: 7}\n\tcomponents: main: {type: \"worker\", properties: image: \"ghcr.io/acme/shop:1\"}\n}\n"
	in, ok := applicationOf(newOther(), unpack(threeApplications(t), overlay("tenants/acme/apps/shop/app.cue", app)), "shop")
	require.True(t, ok)
	r := evaluateApplication(in, layer.NewForm())
	require.Empty(t, r.Problems)
	require.Equal(t, 7, r.Application.Priority)
}

// A killed evaluation blames its own directory, and is tried again.
func TestExhausted(t *testing.T) {
	tree := unpack(threeApplications(t))
	for limit, code := range map[Limit]string{Time: catalogue.Time, Memory: catalogue.Memory, Stack: catalogue.Stack} {
		backend := newOther()
		e := Through(backend)
		require.Len(t, e.Fleet("c", tree, nil).Applications, 3)
		changed := unpack(threeApplications(t), overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: priority: 7\n"))
		backend.failing = &Exhausted{limit}
		f := e.Fleet("c", changed, nil)
		require.Len(t, f.Applications, 2)
		require.Len(t, f.Unusable, 1)
		require.Equal(t, code, f.Unusable[0].Code)
		require.False(t, e.Settled())
		backend.failing = errors.New("no such file")
		require.Equal(t, catalogue.Unreadable, e.Fleet("c", changed, nil).Unusable[0].Code)
		backend.failing = nil
		require.Len(t, e.Fleet("c", changed, nil).Applications, 3, "it is tried again, although nothing changed")
		require.True(t, e.Settled())
	}
}

// An answer that was damaged where it was kept is not known.
func TestDamagedAnswer(t *testing.T) {
	tree := unpack(threeApplications(t))
	backend := newOther()
	want := Through(backend).Fleet("c", tree, nil)
	for key := range backend.known {
		backend.known[key] = []byte("{}")
	}
	backend.asked = 0
	require.Equal(t, want, Through(backend).Fleet("c", tree, nil))
	require.Equal(t, 6, backend.asked) // the platform, two tenants, three applications
}

// applicationOf reads one application of a fleet, if it comes to evaluating it and the other process does not know it.
func applicationOf(o *other, files tree, app string) (in request, ok bool) {
	backend := &spy{other: o, app: app}
	Through(backend).Fleet("c", files, beforeShop)
	return backend.in, backend.in.Files != nil
}

// spy keeps the request about one application.
type spy struct {
	*other
	app string
	in  request
}

func (s *spy) Evaluate(tenant, key string, data []byte) ([]byte, error) {
	var r request
	if err := cbor.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Layer == "application" && r.Name == s.app {
		s.in = r
	}
	return s.other.Evaluate(tenant, key, data)
}

// What the formatter cannot write is evaluated all the same.
func TestComprehensionInAList(t *testing.T) {
	app := "package fleet\n\napplication: {\n\tname: \"shop\"\n\tlabels: team: \"x\"\n\tcomponents: main: {type: \"worker\", properties: {image: \"ghcr.io/acme/shop:1\", args: [for n in [1, 2] {\"-v\\(n)\"}]}}\n}\n"
	f := New().Fleet("c", unpack(threeApplications(t), overlay("tenants/acme/apps/shop/app.cue", app)), nil)
	require.Empty(t, f.Problems)
	require.JSONEq(t, `{"args":["-v1","-v2"],"image":"ghcr.io/acme/shop:1"}`, string(f.Applications[0].Components[0].Properties))
}

// What was evaluated is free again.
func TestMemoryIsFlat(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: evaluates hundreds of times")
	}
	r := encode(shopRequest(t))
	var w Worker
	heap := func(rounds int) uint64 {
		for range rounds {
			_, err := w.Answer(r)
			require.NoError(t, err)
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap(50)
	require.Less(t, heap(400), before+4<<20)
}

package claim

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

var begin = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A world is a fleet and its ledger. What applications want is written as hosts, with or
// without a path, and as objects with a space: "shop.example.com/", "ConfigMap a".
type world struct {
	fleet  model.Fleet
	ledger model.Ledger
	specs  map[model.Digest]*Names
}

func (w *world) spec(app, version, wants string) *model.Application {
	tenant, name, _ := strings.Cut(app, "/")
	a := &model.Application{ID: model.AppID{Tenant: tenant, Name: name}, Digest: model.Digest(app + version), Release: model.Digest(app + version)}
	var hosts []Host
	var objects []Object
	for _, want := range strings.Split(wants, ", ") {
		host, path, whole := strings.Cut(want, "/")
		switch {
		case want == "":
		case strings.Contains(want, " "):
			objects = append(objects, Object{Namespace: tenant, Name: want, Component: "c"})
		case whole:
			hosts = append(hosts, Host{Name: host, Path: "/" + path, Component: "c"})
		default:
			hosts = append(hosts, Host{Name: host, Component: "c"})
		}
	}
	if w.specs == nil {
		w.specs = map[model.Digest]*Names{}
	}
	w.specs[a.Digest] = New(a.ID, hosts, objects, nil)
	return a
}

// git adds an application to the fleet, ran a running instance to the ledger.
func (w *world) git(app, version, wants string) *model.Application {
	a := w.spec(app, version, wants)
	w.fleet.Applications = append(w.fleet.Applications, a)
	return a
}

func (w *world) ran(app, version, wants string, age time.Duration) *model.Instance {
	a := w.spec(app, version, wants)
	w.ledger.Instances = append(w.ledger.Instances, model.Instance{App: a.ID, Spec: a, Phase: model.PhaseRunning, Declared: begin.Add(-age)})
	return &w.ledger.Instances[len(w.ledger.Instances)-1]
}

// refused returns who is refused, with the sentences.
func (w *world) refused(leaving ...string) (all []string) {
	var gone []model.AppID
	for _, app := range leaving {
		tenant, name, _ := strings.Cut(app, "/")
		gone = append(gone, model.AppID{Tenant: tenant, Name: name})
	}
	before := len(w.fleet.Applications)
	after := NewRegister(&w.fleet, w.specs).Settle(w.fleet, &w.ledger, gone)
	for i, u := range after.Unusable {
		all = append(all, u.App.String()+": "+after.Problems[i].Message)
	}
	if len(after.Applications)+len(after.Unusable) != before || len(w.fleet.Applications) != before {
		panic("an application is lost")
	}
	return all
}

// TestWhoHasAHostKeepsIt: a second tenant names the host of another one. Only the newcomer
// is refused, whatever it is called and whatever its age, and it is told who has the host.
func TestWhoHasAHostKeepsIt(t *testing.T) {
	for _, wants := range []string{"shop.example.com/", "shop.example.com/other", "shop.example.com", "*.example.com/", "*.com"} {
		var w world
		w.git("acme/a", "2", wants)
		w.git("globex/shop", "1", "shop.example.com/")
		w.ran("acme/a", "1", "a.example.org/", 2*time.Hour)
		w.ran("globex/shop", "1", "shop.example.com/", time.Hour)
		all := w.refused()
		require.Len(t, all, 1, wants)
		require.Contains(t, all[0], "acme/a: host ")
		require.Contains(t, all[0], " globex/shop, which had it first")
	}
}

// TestHolders: who has a name in the ledger.
func TestHolders(t *testing.T) {
	for name, c := range map[string]struct {
		arrange func(w *world)
		want    []string
		leaving []string
	}{
		"a newer version that gives the host up is not accepted yet": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "2", "other.example.com/")
			w.ran("globex/b", "1", "h.example.com/", time.Hour)
		}, []string{"acme/a: host h.example.com belongs to globex/b, which still runs with it; it is free when globex/b runs as Git declares it"}, nil},
		"the version before it may come back": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "2", "other.example.com/")
			inst := w.ran("globex/b", "2", "other.example.com/", time.Hour)
			inst.Previous = w.spec("globex/b", "1", "h.example.com/")
		}, []string{"acme/a: host h.example.com belongs to globex/b, which still runs with it; it is free when globex/b runs as Git declares it"}, nil},
		"it is given up": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "2", "other.example.com/")
			w.ran("globex/b", "2", "other.example.com/", time.Hour)
		}, nil, nil},
		"Git cannot be used, and what runs has it": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.ran("globex/b", "1", "h.example.com/", time.Hour)
		}, []string{"acme/a: host h.example.com belongs to globex/b, which had it first"}, nil},
		"it leaves": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.ran("globex/b", "1", "h.example.com/", time.Hour)
		}, nil, []string{"globex/b"}},
		"it ended": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			inst := w.ran("globex/b", "1", "h.example.com/", time.Hour)
			inst.Phase, inst.Reason = model.PhaseTerminated, model.ReasonRemoved
		}, nil, nil},
		"it was evicted and waits": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "1", "h.example.com/")
			inst := w.ran("globex/b", "1", "h.example.com/", time.Hour)
			inst.Phase, inst.Reason = model.PhaseTerminated, model.ReasonEvicted
		}, []string{"acme/a: host h.example.com belongs to globex/b, which had it first"}, nil},
		"it is stopped by its owner": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "1", "h.example.com/").Desired = model.DesiredTerminated
			inst := w.ran("globex/b", "1", "h.example.com/", time.Hour)
			inst.Phase, inst.Reason = model.PhaseTerminated, model.ReasonStopped
		}, nil, nil},
		"both have it, from before": {func(w *world) {
			w.git("acme/a", "2", "h.example.com/")
			w.git("globex/b", "1", "h.example.com/")
			w.ran("acme/a", "1", "h.example.com/", time.Hour)
			w.ran("globex/b", "1", "h.example.com/", 2*time.Hour)
		}, nil, nil},
		"what runs is not known, and it is the older one": {func(w *world) {
			w.git("acme/a", "1", "h.example.com/")
			w.git("globex/b", "2", "h.example.com/")
			w.ran("globex/b", "1", "", time.Hour)
			delete(w.specs, "globex/b1")
		}, []string{"acme/a: host h.example.com belongs to globex/b, which comes first"}, nil},
		"what runs is not known, and another one has it": {func(w *world) {
			w.git("acme/a", "2", "h.example.com/")
			w.git("globex/b", "1", "h.example.com/")
			w.ran("acme/a", "1", "", 2*time.Hour)
			w.ran("globex/b", "1", "h.example.com/", time.Hour)
			delete(w.specs, "acme/a1")
		}, []string{"acme/a: host h.example.com belongs to globex/b, which had it first"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var w world
			c.arrange(&w)
			require.Equal(t, c.want, w.refused(c.leaving...))
		})
	}
}

// TestNewcomers: where nobody has a name, the application that was declared first gets it,
// and then the names decide. Who is refused for one name takes no other.
func TestNewcomers(t *testing.T) {
	var w world
	w.git("acme/a", "1", "h.example.com/")
	w.git("globex/b", "1", "h.example.com/")
	require.Equal(t, []string{"globex/b: host h.example.com belongs to acme/a, which comes first"}, w.refused())
	w.ran("globex/b", "1", "h.example.com/", time.Hour).Spec = nil
	require.Equal(t, []string{"acme/a: host h.example.com belongs to globex/b, which comes first"}, w.refused(), "it has waited longer")

	w = world{}
	w.git("acme/a", "1", "one.example.com/, two.example.com/")
	w.git("globex/b", "1", "two.example.com/")
	w.git("initech/c", "1", "one.example.com/")
	w.ran("initech/c", "1", "one.example.com/", time.Hour)
	require.Equal(t, []string{"acme/a: host one.example.com belongs to initech/c, which had it first"}, w.refused())
}

// TestWithinATenant: the applications of a tenant share hosts by their paths.
func TestWithinATenant(t *testing.T) {
	var w world
	w.git("acme/a", "1", "h.example.com/, h.example.com")
	w.git("acme/b", "1", "h.example.com/b, *.example.com/, h.example.com")
	require.Empty(t, w.refused())
	w.git("acme/c", "1", "h.example.com/b")
	require.Equal(t, []string{"acme/c: host h.example.com/b belongs to acme/b, which comes first"}, w.refused())
	w.git("globex/d", "1", "h.example.com/d")
	require.Len(t, w.refused(), 2, "no other tenant has a part of it")
}

// TestObjects: an object belongs to one application of a namespace.
func TestObjects(t *testing.T) {
	var w world
	w.git("acme/a", "1", "ConfigMap settings, Service settings")
	w.git("acme/b", "1", "ConfigMap settings")
	w.git("globex/c", "1", "ConfigMap settings")
	w.ran("acme/b", "1", "ConfigMap settings", time.Hour)
	require.Equal(t, []string{"acme/a: ConfigMap settings in namespace acme belongs to acme/b, which had it first"}, w.refused())
}

// TestNothingInCommon: nothing is settled where nobody has a rival.
func TestNothingInCommon(t *testing.T) {
	var w world
	w.git("acme/a", "1", "a.example.com/, ConfigMap a")
	w.git("globex/b", "2", "b.example.com/, ConfigMap a")
	w.ran("globex/b", "1", "c.example.com/", time.Hour)
	r := NewRegister(&w.fleet, w.specs)
	require.Empty(t, r.disputing)
	require.Equal(t, w.fleet, r.Settle(w.fleet, &w.ledger, nil))
}

// TestEntries: a host belongs to the longest entry, and to every tenant that has it.
func TestEntries(t *testing.T) {
	platform := &model.Platform{Allotments: []model.Allotment{
		{Name: "acme", Hosts: []string{"*.example.com", "shared.example.org"}},
		{Name: "edge", Hosts: []string{"*"}},
		{Name: "globex", Hosts: []string{"shop.example.com", "*.eu.example.com", "shared.example.org"}},
		{Name: "none", Hosts: []string{}},
	}}
	may := map[string]string{
		"acme":    "a.example.com *.example.com shared.example.org *.b.example.com",
		"globex":  "shop.example.com a.eu.example.com *.eu.example.com shared.example.org",
		"edge":    "* free.example.net",
		"initech": "free.example.net example.com",
	}
	allotments := AllotmentsOf(platform)
	hosts := strings.Fields("a.example.com *.example.com shared.example.org *.b.example.com shop.example.com a.eu.example.com *.eu.example.com * free.example.net example.com *.com")
	may["initech"], may["edge"] = may["initech"]+" *.com", may["edge"]+" example.com *.com"
	for _, tenant := range []string{"acme", "edge", "globex", "initech", "none"} {
		for _, host := range hosts {
			app := &model.Application{ID: model.AppID{Tenant: tenant, Name: "a"}}
			problems := allotments.Refused(app, &model.Tenant{}, &Names{Hosts: []Host{{Name: host, Path: "/"}}})
			allowed := strings.Contains(" "+may[tenant]+" ", " "+host+" ")
			require.Equal(t, allowed, problems == nil, "%s %s: %v", tenant, host, problems)
		}
	}
	var w world
	w.fleet.Platform = platform
	w.git("acme/a", "1", "*.example.com/")
	w.git("globex/b", "1", "shop.example.com/")
	w.git("initech/c", "1", "shared.example.org/")
	require.Empty(t, w.refused(), "an entry of its own takes a host out of the wildcard")
}

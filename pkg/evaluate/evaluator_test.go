package evaluate

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fxamacker/cbor/v2"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/inprocess"
)

// counting is a backend that counts the applications and approvals that it evaluates.
type counting struct {
	inprocess.Backend
	evaluated int
}

func (c *counting) Run(n int, do func(int)) {
	for i := n - 1; i >= 0; i-- { // order has no meaning
		do(i)
	}
}

func (c *counting) Evaluate(tenant, key string, data []byte) ([]byte, error) {
	var r request
	if err := cbor.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Layer == "application" || r.Layer == "approval" {
		c.evaluated++
	}
	return c.Backend.Evaluate(tenant, key, data)
}

// counted is an evaluator, with the number of what it evaluated.
func counted() (*Evaluator, *int) {
	c := &counting{Backend: inProcess()}
	return Through(c), &c.evaluated
}

func overlay(name, data string) *txtar.Archive {
	return &txtar.Archive{Files: []txtar.File{{Name: name, Data: []byte(data)}}}
}

// two tenants with three applications.
func threeApplications(t *testing.T) *txtar.Archive {
	a := archive(t, "base.txtar")
	app := func(name string) []byte {
		return []byte("package fleet\n\napplication: {\n\tname: \"" + name + "\"\n\tlabels: team: \"x\"\n\tcomponents: main: {type: \"worker\", properties: image: \"ghcr.io/acme/" + name + ":1\"}\n}\n")
	}
	a.Files = append(a.Files,
		txtar.File{Name: "tenants/acme/apps/site/app.cue", Data: app("site")},
		txtar.File{Name: "tenants/globex/tenant.cue", Data: []byte("package fleet\n\ntenant: name: \"globex\"\n")},
		txtar.File{Name: "tenants/globex/apps/api/app.cue", Data: app("api")})
	return a
}

// Whatever was evaluated before, the result is that of a new evaluator, and only
// what changed is evaluated.
func TestOnlyWhatChangedIsEvaluated(t *testing.T) {
	e, evaluated := counted()
	files := []*txtar.Archive{threeApplications(t)}
	for _, step := range []struct {
		name, file, data string
		want             int
	}{
		{"first", "README.md", "hello\n", 3},
		{"nothing changed", "README.md", "hello\n", 0},
		{"no file of the fleet changed", "README.md", "bye\n", 0},
		{"one application changed", "tenants/acme/apps/site/more.cue", "package fleet\n\napplication: priority: 7\n", 1},
		{"a place in the tenant's file moved", "tenants/acme/more.cue", "package fleet\n\n\n\ntenant: policy: limits: maxShare: 0.5\n", 0},
		{"a quota that is no policy changed", "tenants/acme/more.cue", "package fleet\n\ntenant: quota: workloads: 9\n", 0},
		{"a tenant's policy changed", "tenants/globex/more.cue", "package fleet\n\ntenant: policy: limits: maxReplicas: 2\n", 1},
		{"the platform's places moved", "pools.cue", "package fleet\n\nplatform: pools: batch: nodes: selector: pool: \"batch\"\n", 0},
		{"the platform's policy changed", "policy.cue", "package fleet\n\nplatform: policy: onUpdateFailure: \"hold\"\n", 3},
		{"an application broke", "tenants/acme/apps/site/more.cue", "package fleet\n\napplication: priority: 7000\n", 1},
		{"the ceiling that it breaks moved", "tenants/acme/more.cue", "package fleet\n\ntenant: quota: workloads: 10\n", 1},
		{"a tenant broke", "tenants/globex/more.cue", "package fleet\n\ntenant: policy: limits: maxReplicas: 2000\n", 0},
		{"and was mended", "tenants/globex/more.cue", "package fleet\n\ntenant: policy: limits: maxReplicas: 2\n", 1},
		{"an application went", "tenants/acme/apps/shop/app.cue", "", 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			files = append(files, overlay(step.file, step.data))
			*evaluated = 0
			got := e.Fleet("c", unpack(files...), nil)
			require.Equal(t, New().Fleet("c", unpack(files...), nil), got)
			require.Equal(t, step.want, *evaluated)
		})
	}
}

// The commit is that of the files, also when they did not change: applications
// are those of the fleet before, and take it from theirs.
func TestCommitFollowsTheHead(t *testing.T) {
	e := New()
	files := unpack(threeApplications(t))
	first, second := e.Fleet("one", files, nil), e.Fleet("two", files, nil)
	require.Equal(t, "two", second.Commit)
	for i := range second.Applications {
		require.Same(t, first.Applications[i], second.Applications[i])
		require.Empty(t, second.Applications[i].Commit)
	}
}

const releaseCommit = "dddddddddddddddddddddddddddddddddddddddd"

func pin(app string) *txtar.Archive {
	return overlay("tenants/acme/releases.cue", "package fleet\n\ntenant: releases: "+app+": commit: \""+releaseCommit+"\"\n")
}

func TestPinnedApplicationIsOfItsCommit(t *testing.T) {
	old := threeApplications(t)
	release := func(commit string) (Files, error) {
		require.Equal(t, releaseCommit, commit)
		return unpack(old, overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: priority: 5\n")), nil
	}
	now := unpack(old, overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: priority: \n"), pin("shop"))
	f := New().Fleet("head", now, release)
	require.Empty(t, report(f))
	i := slices.IndexFunc(f.Applications, func(a *model.Application) bool { return a.ID.Name == "shop" })
	require.Equal(t, 5, f.Applications[i].Priority)
	require.Equal(t, releaseCommit, f.Applications[i].Commit)
	require.Equal(t, "head", f.Applications[i+1].AsOf(f.Commit).Commit)
}

// An old release cannot dodge a new policy.
func TestPinnedApplicationIsUnderTodaysPolicy(t *testing.T) {
	old := threeApplications(t)
	release := func(string) (Files, error) {
		return unpack(old,
			overlay("tenants/acme/tenant.cue", "package fleet\n\ntenant: name: \"acme\"\n"),
			overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: components: web: replicas: 9\n")), nil
	}
	f := New().Fleet("head", unpack(old, pin("shop")), release)
	require.Equal(t, `DA1203 application.components.web.replicas: asks for 9, tenant acme allows at most 5 replicas (limits.maxReplicas) (in the pinned commit dddddddddddd)
  tenants/acme/apps/shop/more.cue:3:41   asks for 9
  tenants/acme/tenant.cue:7:24           tenant.policy.limits.maxReplicas: 5
`, report(f))
	require.Equal(t, []model.Unusable{{App: model.AppID{Tenant: "acme", Name: "shop"}, Code: "DA1203",
		Message: f.Unusable[0].Message}}, f.Unusable)
	require.Len(t, f.Applications, 2)
}

// TestApplicationsShareTheirPolicy: a fleet of 10,000 applications holds a policy for each tenant, and for each application that
// chooses within it.
func TestApplicationsShareTheirPolicy(t *testing.T) {
	f := New().Fleet("head", unpack(threeApplications(t), overlay("tenants/acme/apps/site/more.cue", "package fleet\n\napplication: policy: degradation: false\n"),
		overlay("tenants/acme/apps/blog/app.cue", "package fleet\n\napplication: {name: \"blog\", labels: team: \"x\", components: main: {type: \"worker\", properties: image: \"ghcr.io/acme/blog:1\"}}\n")), nil)
	require.Empty(t, report(f))
	policies := map[string]*model.Policy{}
	for _, a := range f.Applications {
		policies[a.ID.String()] = a.Policy
	}
	require.Same(t, policies["acme/blog"], policies["acme/shop"])
	require.Equal(t, []bool{true, false}, []bool{policies["acme/shop"].Degradation, policies["acme/site"].Degradation})
}

// TestConflictsArePolicy: the default is left out, so that specs keep their digests.
func TestConflictsArePolicy(t *testing.T) {
	f := New().Fleet("head", unpack(threeApplications(t)), nil)
	require.Equal(t, model.Conflicts(""), f.Applications[0].Policy.Conflicts)
	f = New().Fleet("head", unpack(threeApplications(t), overlay("tenants/acme/more.cue", "package fleet\n\ntenant: policy: conflicts: \"report\"\n")), nil)
	require.Empty(t, report(f))
	require.Equal(t, model.ConflictsReport, f.Applications[0].Policy.Conflicts)
}

// A pin that cannot be read is tried again, although nothing changed.
func TestPinIsTriedAgain(t *testing.T) {
	e := New()
	base := threeApplications(t)
	files := unpack(base, pin("shop"))
	f := e.Fleet("head", files, func(string) (Files, error) { return nil, errors.New("not there yet") })
	require.Len(t, f.Unusable, 1)
	require.Equal(t, catalogue.NoCommit, f.Unusable[0].Code)
	f = e.Fleet("head", files, func(string) (Files, error) { return unpack(base), nil })
	require.Empty(t, f.Unusable)
}

// A broken layer takes along what is below it, and nothing else.
func TestBrokenLayers(t *testing.T) {
	broken := "package fleet\n\ntenant: quota: workloads: -1\n"
	f := New().Fleet("c", unpack(threeApplications(t), overlay("tenants/acme/more.cue", broken)), nil)
	require.Equal(t, []string{"acme"}, f.UnusableTenants)
	require.Len(t, f.Tenants, 1)
	require.Len(t, f.Applications, 1)
	require.Len(t, f.Unusable, 2)
	for _, u := range f.Unusable {
		require.Equal(t, "tenant.quota.workloads: asks for -1, a count is a whole number from 0 to 1000000 (tenants/acme/more.cue:3:27)", u.Message)
	}

	f = New().Fleet("c", unpack(threeApplications(t), overlay("more.cue", "package fleet\n\nplatform: nmae: \"x\"\n")), nil)
	require.Nil(t, f.Platform)
	require.Equal(t, []string{"acme", "globex"}, f.UnusableTenants)
	require.Len(t, f.Unusable, 3)
	require.Len(t, f.Problems, 1)
	require.Equal(t, "platform.nmae: no such field; did you mean name? (more.cue:3:11)", f.Unusable[0].Message)
}

// A CUE file between the layers takes along the layer above it, as somebody may
// rely on what it says: that of a tenant concerns no other tenant.
func TestFilesBetweenLayers(t *testing.T) {
	limit := "package fleet\n\ntenant: policy: limits: maxShare: 0.1\n"
	e := New()
	f := e.Fleet("c", unpack(threeApplications(t), overlay("tenants/acme/apps/limits.cue", limit)), nil)
	require.Equal(t, []string{"acme"}, f.UnusableTenants)
	require.Len(t, f.Applications, 1)
	require.Len(t, f.Unusable, 2)
	require.Len(t, f.Problems, 1)
	require.Equal(t, "acme", f.Problems[0].Tenant)
	require.True(t, e.Settled(), "it is not tried again before the next commit")

	f = e.Fleet("d", unpack(threeApplications(t), overlay("tenants/limits.cue", limit)), nil)
	require.Nil(t, f.Platform)
	require.Len(t, f.Unusable, 3)
	require.Len(t, f.Problems, 1)
	require.Equal(t, catalogue.Between, f.Problems[0].Code)
	require.Empty(t, f.Problems[0].Tenant, "only admins of the platform can write it")

	require.Len(t, e.Fleet("e", unpack(threeApplications(t)), nil).Applications, 3)
}

// Who may change what does not follow from layers with files between them.
func TestLayersWithFilesBetweenThem(t *testing.T) {
	signed := overlay("access.cue", "package fleet\n\nplatform: access: {enforce: \"signed\", principals: ann: ssh: [\"ssh-ed25519 AAAA ann\"], admins: [\"ann\"]}\n")
	require.Len(t, New().Layers(unpack(threeApplications(t), signed)).Tenants, 2)
	f := New().Layers(unpack(threeApplications(t), signed, overlay("tenants/acme/apps/x.cue", "package fleet\n")))
	require.Equal(t, []string{"acme"}, f.UnusableTenants)
	f = New().Layers(unpack(threeApplications(t), signed, overlay("tenants/x.cue", "package fleet\n")))
	require.Nil(t, f.Platform)
}

func TestEmptyTree(t *testing.T) {
	f := New().Fleet("c", unpack(overlay("README.md", "hello\n")), nil)
	require.Nil(t, f.Platform)
	require.Empty(t, f.Applications)
	require.Empty(t, f.Unusable)
	require.Equal(t, catalogue.NoPlatform, f.Problems[0].Code)
}

// damaged is a tree of which a part cannot be read.
type damaged struct {
	tree
	part string
}

var errDamaged = errors.New("object is corrupt")

func (d damaged) Open(name string) (fs.File, error) {
	if name == d.part {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errDamaged}
	}
	return d.tree.Open(name)
}

func (d damaged) Digest(name string) (string, error) {
	if name == d.part {
		return "", errDamaged
	}
	return d.tree.Digest(name)
}

// What cannot be read is not taken for gone, and is read again.
func TestDamagedTree(t *testing.T) {
	whole := unpack(threeApplications(t))
	for part, want := range map[string]struct {
		applications, unusable int
		incomplete             bool
	}{
		"tenants":                        {0, 0, true},
		"tenants/acme/apps":              {1, 0, true},
		"tenants/acme/apps/shop":         {2, 1, false},
		"tenants/acme/apps/shop/app.cue": {2, 1, false},
		"tenants/acme":                   {1, 2, false},
		"tenants/acme/tenant.cue":        {1, 2, false},
		"fleet.cue":                      {0, 3, false},
	} {
		t.Run(part, func(t *testing.T) {
			e := New()
			f := e.Fleet("c", damaged{whole, part}, nil)
			require.Len(t, f.Applications, want.applications)
			require.Len(t, f.Unusable, want.unusable)
			require.Equal(t, want.incomplete, f.Incomplete)
			require.Contains(t, report(f), catalogue.Unreadable)
			require.Len(t, e.Fleet("c", whole, nil).Applications, 3, "it is read again")
		})
	}
}

func TestTooLarge(t *testing.T) {
	root := &txtar.Archive{}
	for _, name := range []string{"a.cue", "b.cue", "c.cue"} {
		root.Files = append(root.Files, txtar.File{Name: name, Data: []byte("package fleet\n\n// " + strings.Repeat("x", 180<<10) + "\n")})
	}
	f := New().Fleet("c", unpack(threeApplications(t), root), nil)
	require.Nil(t, f.Platform)
	require.Equal(t, catalogue.Size, f.Problems[0].Code)
	root.Files = root.Files[:2]
	require.Empty(t, New().Fleet("c", unpack(threeApplications(t), root), nil).Problems, "allotments of many tenants need room at the root")
	for name, files := range map[string]*txtar.Archive{
		"one file": overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\n// "+strings.Repeat("x", 256<<10)+"\n"),
		"together": {Files: []txtar.File{
			{Name: "tenants/acme/apps/shop/a.cue", Data: []byte("package fleet\n\n// " + strings.Repeat("x", 170<<10) + "\n")},
			{Name: "tenants/acme/apps/shop/b.cue", Data: []byte("package fleet\n\n// " + strings.Repeat("x", 170<<10) + "\n")},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := New().Fleet("c", unpack(threeApplications(t), files), nil)
			require.Len(t, f.Applications, 2)
			require.Equal(t, catalogue.Size, f.Unusable[0].Code)
		})
	}
}

func TestPanicIsAProblemOfOneApplication(t *testing.T) {
	r := func() (r result) {
		defer recovered(model.AppID{Tenant: "acme", Name: "shop"}, &r)
		panic("out of luck\nsecond line")
	}()
	require.Equal(t, "DA1011 tenants/acme/apps/shop could not be evaluated: out of luck second line\n  tenants/acme/apps/shop:1:1", r.Problems[0].String())
}

// Links are said and not followed.
func TestLinks(t *testing.T) {
	files := unpack(threeApplications(t))
	m := files.FS.(fstest.MapFS)
	m["tenants/acme/apps/shop/more.cue"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("../../tenant.cue")}
	m["tenants/evil"] = &fstest.MapFile{Mode: fs.ModeSymlink, Data: []byte("acme")}
	f := New().Fleet("c", files, nil)
	require.Equal(t, `DA1008 tenants/acme/apps/shop/more.cue is no regular file; links are not followed
  tenants/acme/apps/shop/more.cue:1:1
DA1008 tenants/evil is neither file nor directory; links are not followed
  tenants/evil:1:1
`, report(f))
	require.Len(t, f.Applications, 2)
	require.Len(t, f.Unusable, 1)
}

// A link beside the CUE files of an application does no harm, as nothing follows
// it, and is not what makes the next pass try again. One that the application
// refers to is as if it were not there.
func TestLinksBesideAnApplication(t *testing.T) {
	l := planted(archive(t, "base.txtar"))
	l.links["tenants/acme/apps/shop/README.md"] = "../README.md"
	l.links["tenants/acme/apps/shop/deploy"] = "../../deploy"
	e := New()
	f := e.Fleet("c", l, nil)
	require.Empty(t, report(f))
	require.Len(t, f.Applications, 1)
	require.True(t, e.Settled())

	l.tree = unpack(archive(t, "base.txtar"), overlay("tenants/acme/apps/shop/more.cue",
		"package fleet\n\napplication: components: objects: {type: \"kustomize\", properties: path: \"deploy\"}\n"))
	f = e.Fleet("d", l, nil)
	require.Len(t, f.Problems, 1)
	require.Equal(t, catalogue.Path, f.Problems[0].Code)
	require.True(t, e.Settled())
}

package access_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

func TestCodeowners(t *testing.T) {
	gone := principal("gone", ed(t, "gone"))
	gone.Revoked = true
	team := principal("team", ed(t, "team"))
	team.Handle = "@acme/platform"
	p := access.New(
		platform([]string{"team", "root"}, gone, principal("root", ed(t, "root")), team),
		[]model.Tenant{
			tenant("acme", []string{"ann", "gone"}, []model.Owners{{App: "blog", Principals: []string{"ann"}}, {App: "shop", Principals: []string{"bob", "root"}}},
				principal("ann", ed(t, "ann")), principal("bob", ed(t, "bob"))),
			tenant("globex", nil, []model.Owners{{App: "api", Principals: []string{"team"}}}),
			{Name: "initech"},
		})
	require.Equal(t, `# Written by D-AROS from the access of the fleet repo; do not edit.
* @acme/platform @root

/tenants/acme/ @acme/platform @ann @root
/approvals/acme/ @acme/platform @ann @root
/tenants/acme/apps/blog/ @acme/platform @ann @root
/approvals/acme/blog/ @acme/platform @ann @root
/tenants/acme/apps/shop/ @acme/platform @ann @bob @root
/approvals/acme/shop/ @acme/platform @ann @bob @root

/tenants/globex/ @acme/platform @root
/approvals/globex/ @acme/platform @root
/tenants/globex/apps/api/ @acme/platform @root
/approvals/globex/api/ @acme/platform @root
`, string(access.Codeowners(p)))
	require.Equal(t, "# Written by D-AROS from the access of the fleet repo; do not edit.\n*\n", string(access.Codeowners(access.New(nil, nil))))
}

// ownersOf reads a CODEOWNERS file as Git hosts do: the last pattern that matches
// decides. Of all that patterns can say, the file has "*" and "/directory/".
func ownersOf(t require.TestingT, codeowners, path string) []string {
	var owners []string
	for line := range strings.Lines(codeowners) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		dir, anchored := strings.CutPrefix(fields[0], "/")
		require.True(t, fields[0] == "*" || anchored && strings.HasSuffix(dir, "/") && !strings.ContainsAny(dir, `*?[\`), "pattern %s", fields[0])
		if fields[0] == "*" || strings.HasPrefix(path, dir) {
			owners = fields[1:]
		}
	}
	return owners
}

var people = []string{"ann", "bob", "cyd", "dan", "eve"}

// genLayers draws who is who in a fleet of two tenants. Names of the platform and
// of tenants overlap, and so do keys.
func genLayers(t *rapid.T, tb testing.TB) (*model.Platform, []model.Tenant) {
	draw := func(layer string) (all []model.Principal) {
		for _, name := range people {
			if !rapid.Bool().Draw(t, layer+" has "+name) {
				continue
			}
			p := principal(name, ed(tb, rapid.SampledFrom([]string{name, layer + name}).Draw(t, "key")))
			// One handle for each person with a key: CODEOWNERS knows no keys.
			p.Handle = "@" + handleOf(p.SSH[0])
			p.Revoked = layer == "" && rapid.IntRange(0, 4).Draw(t, "revoked") == 0
			all = append(all, p)
		}
		return all
	}
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(people), 0, 3, rapid.ID[string])
	var tenants []model.Tenant
	for _, name := range []string{"acme", "globex"} {
		owners := []model.Owners{{App: "api", Principals: some.Draw(t, "owners")}, {App: "removals", Principals: some.Draw(t, "owners")}, {App: "shop", Principals: some.Draw(t, "owners")}}
		tenants = append(tenants, tenant(name, some.Draw(t, "admins"), owners, draw(name)...))
	}
	return platform(some.Draw(t, "platform admins"), draw("")...), tenants
}

func handleOf(publicKey string) string {
	key := strings.Fields(publicKey)[1]
	return strings.Map(func(r rune) rune {
		if r == '+' || r == '/' || r == '=' {
			return '-'
		}
		return r
	}, key[len(key)-20:])
}

var genPath = rapid.OneOf(
	rapid.SampledFrom([]string{"fleet.cue", "README.md", "tenants/acme", "tenants/acme/apps/shop", "approvals/acme", "tenants/x/tenant.cue", "tenants/Acme/tenant.cue"}),
	rapid.Custom(func(t *rapid.T) string {
		part := rapid.SampledFrom([]string{"tenants", "approvals", "apps", "acme", "globex", "shop", "api", "removals", "tenant.cue"})
		return strings.Join(rapid.SliceOfN(part, 1, 6).Draw(t, "path"), "/")
	}),
	rapid.Custom(func(t *rapid.T) string {
		tn, app := rapid.SampledFrom([]string{"acme", "globex"}).Draw(t, "tenant"), rapid.SampledFrom([]string{"api", "shop", "removals", "new"}).Draw(t, "app")
		return fmt.Sprintf(rapid.SampledFrom([]string{"tenants/%s/apps/%s/app.cue", "approvals/%s/%s/1.cue"}).Draw(t, "form"), tn, app)
	}),
)

// TestCodeownersAgreesWithTheVerifier: along a history in which keys and roles
// change, a commit is accepted if and only if CODEOWNERS, as of the commit before,
// names its signer for every path; and nobody is named who could not sign.
func TestCodeownersAgreesWithTheVerifier(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for range rapid.IntRange(1, 4).Draw(rt, "commits") {
			platform, tenants := genLayers(rt, t)
			policy := access.New(platform, tenants)
			codeowners := string(access.Codeowners(policy))
			revoked := map[string]bool{}
			for _, p := range platform.Access.Principals {
				if p.Revoked {
					revoked["@"+handleOf(p.SSH[0])] = true
				}
			}
			name := rapid.SampledFrom([]string{"ann", "bob", "cyd", "acmeann", "acmebob", "globexcyd", "stranger"}).Draw(rt, "signer")
			key := ed(t, name)
			handle := "@" + handleOf(key.public())
			paths := rapid.SliceOfN(genPath, 1, 4).Draw(rt, "paths")
			want := !revoked[handle]
			for _, path := range paths {
				want = want && slices.Contains(ownersOf(rt, codeowners, path), handle)
			}
			_, v := policy.Verify(signed(t, key, paths...), now)
			if want != (v == nil) {
				rt.Fatalf("%s changes %v: CODEOWNERS says %v, the verifier %v\n%s", name, paths, want, v, codeowners)
			}
		}
	})
}

package pool

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestAttack09CUEBomb: what is more than an application may be is not more in a
// layer above it. A bomb of a tenant blames that tenant, one of the platform the
// platform, and each leaves the others as they are.
func TestAttack09CUEBomb(t *testing.T) {
	bombsTakeSeconds(t)
	bomb := map[string]string{
		"exponential disjunctions": "package fleet\n\nFIELD: policy: requiredLabels: [for k, v in (" + rep(20, " & ", "({p#: 1} | {q#: 1})") + ") {\"a\"}]\n",
		"giant lists":              "package fleet\n\nimport \"list\"\n\nFIELD: policy: requiredLabels: [for a in list.Range(0, 3000, 1) for b in list.Range(0, 3000, 1) if a < 0 {\"a\"}]\n",
		"deep recursion":           "package fleet\n\nlet text = {\n" + tower(`a0: "lololololo"`, 9, func(p, c string) string { return c + `: "` + strings.Repeat(`\(`+p+`)`, 10) + `"` }) + "}\nFIELD: policy: requiredLabels: [text.a9]\n",
	}
	limits := []string{"DA1016", "DA1017", "DA1018"}
	for name, text := range bomb {
		t.Run(name+" in a tenant", func(t *testing.T) {
			files := fleetOf(1, "acme", "globex")
			files.put("tenants/acme/more.cue", strings.ReplaceAll(text, "FIELD", "tenant"))
			p := open(t, Options{Deadline: 2 * time.Second})
			f := evaluate.Through(p).Fleet("c", files, nil)
			require.Equal(t, []string{"acme"}, f.UnusableTenants, f.Problems)
			require.Len(t, f.Problems, 1)
			require.Contains(t, limits, f.Problems[0].Code, f.Problems[0].String())
			require.Len(t, f.Applications, 1, "that of the other tenant")
			require.Equal(t, model.AppID{Tenant: "globex", Name: "app-0"}, f.Applications[0].ID)
		})
	}
	// What an application shares with others, or uses of a definition, costs its own evaluation only.
	const grows = "len([for a in list.Range(0, n, 1) for b in list.Range(0, n, 1) if a < 0 {a}])"
	definition := "package fleet\n\nimport \"list\"\n\ntenant: definitions: components: big: {\n\t#Parameter: n!: int\n\tparameter: #Parameter\n\texample: n: 1\n" +
		"\toutput: {type: \"worker\", properties: {image: \"ghcr.io/acme/a:1\", labels: n: \"\\(" + strings.ReplaceAll(grows, "n, 1", "parameter.n, 1") + ")\"}}\n}\n"
	for name, more := range map[string]map[string]string{
		"in a use of a definition": {
			"tenants/acme/more.cue":            definition,
			"tenants/acme/apps/app-1/more.cue": "package fleet\n\napplication: components: big: {type: \"big\", properties: n: 3000}\n",
		},
		"in a package": {
			"cue.mod/module.cue":               "module: \"fleet.example\"\nlanguage: version: \"v0.17.0\"\n",
			"tenants/acme/lib/big/big.cue":     "package big\n\nimport \"list\"\n\nlabels: x: \"\\(" + strings.ReplaceAll(grows, "n, 1", "3000, 1") + ")\"\n",
			"tenants/acme/apps/app-1/more.cue": "package fleet\n\nimport \"fleet.example/tenants/acme/lib/big\"\n\napplication: labels: big.labels\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := fleetOf(2, "acme", "globex")
			for file, text := range more {
				files.put(file, text)
			}
			f := evaluate.Through(open(t, Options{Deadline: 2 * time.Second})).Fleet("c", files, nil)
			require.Empty(t, f.UnusableTenants, f.Problems)
			require.Len(t, f.Problems, 1, f.Problems)
			require.Contains(t, limits, f.Problems[0].Code, f.Problems[0].String())
			require.Equal(t, []model.Unusable{{App: model.AppID{Tenant: "acme", Name: "app-1"}, Message: f.Unusable[0].Message, Code: f.Problems[0].Code}}, f.Unusable)
			require.Len(t, f.Applications, 3)
		})
	}
	t.Run("in a health", func(t *testing.T) {
		e := evaluate.Through(open(t, Options{Deadline: 2 * time.Second}))
		c := &model.Component{Name: "db", Definition: "database", Health: "import \"list\"\n\nlive: _\nhealth: " + strings.ReplaceAll(grows, "n, 1", "live.n, 1") + " == 0\n"}
		h, err := e.Health("acme", c, []byte(`{"n": 1}`))
		require.NoError(t, err)
		require.Equal(t, model.Health{Healthy: true}, h)
		h, err = e.Health("acme", c, []byte(`{"n": 3000}`))
		require.NoError(t, err)
		require.Regexp(t, "^the health of definition database needs too much (time|memory)$", h.Why)
		h, err = e.Health("globex", c, []byte(`{"n": 2}`))
		require.NoError(t, err)
		require.True(t, h.Healthy, "others go on")
	})
	t.Run("in the platform", func(t *testing.T) {
		files := fleetOf(1, "acme")
		files.put("more.cue", strings.ReplaceAll(bomb["giant lists"], "FIELD", "platform"))
		e := evaluate.Through(open(t, Options{Deadline: 2 * time.Second}))
		f := e.Fleet("c", files, nil)
		require.Nil(t, f.Platform)
		require.Len(t, f.Problems, 1)
		require.Contains(t, limits, f.Problems[0].Code)
		require.False(t, e.Settled(), "it is tried again")
	})
	t.Run("several at once", func(t *testing.T) {
		files := fleetOf(3, "acme", "globex")
		files.put("tenants/acme/more.cue", strings.ReplaceAll(bomb["giant lists"], "FIELD", "tenant"))
		files.put("tenants/globex/apps/app-1/more.cue", "package fleet\n\nimport \"list\"\n\napplication: labels: x: \"\\(len([for a in list.Range(0,300,1) for b in list.Range(0,300,1) for c in list.Range(0,300,1) {a+b+c}]))\"\n")
		f := evaluate.Through(open(t, Options{Deadline: 2 * time.Second})).Fleet("c", files, nil)
		var blamed []string
		for _, problem := range f.Problems {
			require.Contains(t, limits, problem.Code, problem.String())
			blamed = append(blamed, problem.Tenant+"/"+problem.App)
		}
		slices.Sort(blamed)
		require.Equal(t, []string{"acme/", "globex/app-1"}, blamed)
		require.Len(t, f.Applications, 2)
	})
	t.Run("no file, tool or registry is reached", func(t *testing.T) {
		p := open(t, Options{Deadline: 2 * time.Second})
		for text, code := range map[string]string{
			"@extern(embed)\n\npackage fleet\n\ntenant: _ @embed(file=\"/etc/passwd\")\n":                         "DA1004",
			"package fleet\n\nimport \"tool/exec\"\n\ntenant: x: exec.Run & {cmd: \"true\"}\n":                    "DA1005",
			"package fleet\n\nimport \"registry.example.com/evil@v0\"\n\ntenant: evil.x\n":                        "DA1005",
			"package fleet\n\nimport \"tool/http\"\n\ntenant: x: http.Get & {url: \"http://169.254.169.254/\"}\n": "DA1005",
		} {
			files := fleetOf(1, "acme", "globex")
			files.put("tenants/acme/more.cue", text)
			f := evaluate.Through(p).Fleet("c", files, nil)
			require.Equal(t, code, f.Problems[0].Code)
			require.Equal(t, []string{"acme"}, f.UnusableTenants, f.Problems)
			require.Len(t, f.Applications, 1)
		}
	})
}

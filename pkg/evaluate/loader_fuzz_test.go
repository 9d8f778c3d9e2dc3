package evaluate

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

var placeOf = regexp.MustCompile(`^[^\x00]+:\d+:\d+$`)

// FuzzFleetFile puts a file with any content at any path of a fleet. Every
// application that is declared comes out once, usable or not; a problem has a code,
// a sentence in one line and a place; and a file in the directory of one
// application does no harm to another.
func FuzzFleetFile(f *testing.F) {
	for _, p := range bypasses(f) {
		for _, file := range p.refused.Files {
			if len(file.Data) < 4<<10 {
				f.Add(file.Name, file.Data)
			}
		}
	}
	f.Add("tenants/globex/apps/api/app.cue/x.cue", []byte("package fleet\n"))
	f.Add("tenants/acme/apps/apps/apps/x.cue", []byte("package fleet\n"))
	app := "package fleet\n\napplication: {\n\tname: %q\n\tlabels: team: \"x\"\n\tcomponents: main: {type: \"worker\", properties: image: \"ghcr.io/acme/x:1\"}\n}\n"
	base := archive(f, "base.txtar")
	base.Files = append(base.Files,
		txtar.File{Name: "tenants/acme/apps/site/app.cue", Data: fmt.Appendf(nil, app, "site")},
		txtar.File{Name: "tenants/globex/tenant.cue", Data: []byte("package fleet\n\ntenant: name: \"globex\"\n")},
		txtar.File{Name: "tenants/globex/apps/api/app.cue", Data: fmt.Appendf(nil, app, "api")})
	from := New()
	from.Fleet("c", unpack(base), beforeShop)
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if len(data) > 4<<10 || len(data) == 0 || !validPath(name) {
			t.Skip("the caps have a test of their own")
		}
		files := unpack(base).FS.(fstest.MapFS)
		for before := range files {
			if strings.HasPrefix(before, name+"/") || strings.HasPrefix(name, before+"/") {
				t.Skip("no tree has a file in the place of a directory")
			}
		}
		files[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		fleet := again(from).Fleet("c", tree{files}, beforeShop)
		once := map[model.AppID]int{}
		for _, a := range fleet.Applications {
			once[a.ID]++
		}
		for _, u := range fleet.Unusable {
			once[u.App]++
			require.NotEmpty(t, u.Code)
			require.NotContains(t, u.Message, "\n")
		}
		for app, n := range once {
			require.Equal(t, 1, n, app.String())
		}
		for _, app := range []string{"acme/shop", "acme/site", "globex/api"} {
			tenant, app, _ := strings.Cut(app, "/")
			require.Equal(t, 1, once[model.AppID{Tenant: tenant, Name: app}], app)
		}
		for _, p := range fleet.Problems {
			require.Regexp(t, `^DA1\d{3}$`, p.Code)
			require.NotEmpty(t, p.Message)
			require.NotContains(t, p.Message, "\n")
			require.NotEmpty(t, p.Places)
			for _, place := range p.Places {
				require.Regexp(t, placeOf, place.At)
			}
		}
		if strings.HasPrefix(name, "tenants/acme/apps/") && strings.Count(name, "/") > 3 {
			usable := 0
			for _, a := range fleet.Applications {
				if !strings.HasPrefix(name, layer.ApplicationDir(a.ID)+"/") {
					usable++
				}
			}
			require.GreaterOrEqual(t, usable, 2, "others suffer: %s", report(fleet))
		}
	})
}

// again returns an evaluator that knows what another knows, so that it evaluates
// what is different only. The other learns nothing.
func again(from *Evaluator) *Evaluator {
	e := *from
	return &e
}

func validPath(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part == "." || part == ".." || len(part) > 100 || strings.ContainsAny(part, "\x00\n:") {
			return false
		}
	}
	return len(name) < 300
}

package evaluate

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

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
	from := New(nil)
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
				if !strings.HasPrefix(name, applicationDir(a.ID)+"/") {
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
	e.hosts = hosts{maps.Clone(from.hosts.tenants), maps.Clone(from.hosts.disputed)}
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

// FuzzIndex: every value that a file writes is found by its path, at the place where
// it is written.
func FuzzIndex(f *testing.F) {
	for _, file := range archive(f, "full.txtar").Files {
		f.Add(file.Data)
	}
	f.Add([]byte("a: b: \"c\": 1\na: {b: d: [2, {e: 3}]}\n\"x\\n\": 'y'\n#d: _h: true\nx?: y!: 1\n[string]: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := parser.ParseFile("x.cue", data)
		if err != nil || len(data) > 16<<10 {
			return
		}
		ix := index{}
		ix.add(file)
		files := fstest.MapFS{"x.cue": {Data: data}}
		for k, entries := range ix {
			segments := strings.Split(k, "\x00")
			if len(strings.Split(key(segments), "\x00")) != len(segments) {
				continue
			}
			e, depth := ix.find(segments)
			require.Equal(t, len(segments), depth)
			require.Equal(t, entries[0], e)
			_, deeper := ix.find(append(segments, "no such field"))
			require.Equal(t, len(segments), deeper, "the nearest that is written")
		}
		ast.Walk(file, func(n ast.Node) bool {
			field, ok := n.(*ast.Field)
			if !ok {
				return true
			}
			if lit, ok := field.Value.(*ast.BasicLit); ok && lit.Pos().IsValid() {
				rest := textAt(t, files, lit.Pos().String())
				require.True(t, strings.HasPrefix(rest, strings.SplitN(lit.Value, "\n", 2)[0]), "%s: %q", lit.Pos(), lit.Value)
			}
			return true
		}, nil)
	})
}

// FuzzUnpin: whatever the file, taking a pin out leaves no pin and everything else
// as it was, and pinning again brings it back.
func FuzzUnpin(f *testing.F) {
	for _, seed := range []string{
		"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: shop: commit: \"x\"\n}\n",
		"tenant: {a: 1, releases: {shop: commit: \"x\", api: commit: \"y\"}, b: 2}", "tenant: releases: shop: commit: \"x\" // c\n\n\n",
		"tenant: {\n// d\nreleases: shop: {\ncommit: \"x\"\n}\n}", "tenant: releases: {shop: {commit: \"x\"}\n}\r\n", "tenant: {releases: shop: commit: \"x\"}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		edit, err := Unpin(tenantFile(data), shop)
		if err != nil || edit.File == "" {
			return
		}
		require.Equal(t, others(t, data), others(t, string(edit.Data)), "%q became %q", data, edit.Data)
		back, err := Pin(fstest.MapFS{edit.File: {Data: edit.Data}}, shop, newCommit)
		require.NoError(t, err, "%q", edit.Data)
		require.Equal(t, others(t, data), others(t, string(back.Data)), "%q became %q", edit.Data, back.Data)
	})
}

// others are the short values of a file by path, without the pin of shop and what
// holds nothing but it.
func others(t *testing.T, data string) map[string][]string {
	file, err := parser.ParseFile("x.cue", data)
	require.NoError(t, err, "%q", data)
	ix := index{}
	ix.add(file)
	out := map[string][]string{}
	for path, entries := range ix {
		if strings.HasPrefix(path+"\x00", "tenant\x00releases\x00shop\x00") {
			continue
		}
		for _, e := range entries {
			if e.text != "" {
				out[path] = append(out[path], e.text)
			}
		}
	}
	return out
}

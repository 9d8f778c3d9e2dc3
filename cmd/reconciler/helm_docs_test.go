package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestHelmPage: the chart on docs/helm.md, in the example of a fleet, is accepted and rendered by the commands that the page
// has, and its change is told by a plan.
func TestHelmPage(t *testing.T) {
	testFleetPage(t, "helm", 4, `stdout 'name: site-door'
stdout 'image: ghcr.io/acme/door:1.4'
stdout 'replicas: 2'

# A change of a template, and of a value, is a change of objects.
exec sed -i 's/name: door/name: gate/' tenants/acme/apps/site/charts/door/templates/deployment.yaml
! exec reconciler plan
stdout 'acme/site'

# What a template says is wrong is told with its line.
exec sed -i 's/name: gate/name: {{ required "name the container" .Values.name }}/' tenants/acme/apps/site/charts/door/templates/deployment.yaml
! exec reconciler vet
stdout '^DA1727 application.components.door.properties.chart: charts/door/templates/deployment.yaml:13: helm: name the container$'

# A chart of another repository needs a host that policy allows, and is taken from what is kept.
exec sed -i 's|chart: "charts/door"|chart: "charts/door", from: {git: "https://git.example.com/acme/charts", commit: "8f3c2a1b0d4e5f60718293a4b5c6d7e8f9012345"}|' tenants/acme/apps/site/app.cue
! exec reconciler vet
stdout '^DA1721 application.components.door.properties.chart: is at git.example.com, and policy does not allow'
exec sh -c 'printf "package fleet\n\nplatform: policy: egress: hosts: [\"git.example.com\"]\n" >egress.cue'
! exec reconciler vet
stdout '^DA1722 application.components.door.properties.chart: needs git.example.com/acme/charts@8f3c2a1b0d4e5f60718293a4b5c6d7e8f9012345, which is not kept here, and nothing is fetched now; --fetch does$'
`)
}

// testFleetPage puts the files on a page of docs into the example of a fleet, each in place of the directory of its application,
// and runs the commands that the page has, and then a script.
func testFleetPage(t *testing.T, name string, files int, then string) {
	page, err := os.ReadFile("../../docs/" + name + ".md")
	require.NoError(t, err)
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	var commands string
	texts := map[string]string{}
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		file, text, _ := strings.Cut(block[2], "\n")
		if block[1] == "sh" {
			commands += "exec " + strings.ReplaceAll(strings.TrimSpace(block[2]), "\n", "\nexec ") + "\n"
			continue
		}
		texts[strings.TrimLeft(file, "/# ")] = text
	}
	require.Len(t, texts, files)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.txtar"), []byte("page fleet\ncd fleet\nexec git init -q -b main\nexec git add --all\nexec git commit -q -m first\n"+commands+then), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"page": func(ts *testscript.TestScript, _ bool, args []string) {
				root := ts.MkAbs(args[0])
				ts.Check(os.CopyFS(root, os.DirFS(example)))
				for file := range texts {
					if app := regexp.MustCompile(`^tenants/[^/]+/apps/[^/]+`).FindString(file); app != "" {
						ts.Check(os.RemoveAll(filepath.Join(root, app)))
					}
				}
				for file, text := range texts {
					ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755))
					ts.Check(os.WriteFile(filepath.Join(root, file), []byte(text), 0o644))
				}
			},
		},
		Setup: isolate,
	})
}

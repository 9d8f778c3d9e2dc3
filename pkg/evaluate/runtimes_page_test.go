package evaluate

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// What each chapter of docs/runtimes.md shows of a platform and of an application is accepted, beside the base fleet.
func TestRuntimesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/runtimes.md")
	require.NoError(t, err)
	ran := map[string]string{}
	for _, chapter := range strings.Split(string(page), "\n## ")[1:] {
		title, _, _ := strings.Cut(chapter, "\n")
		blocks := regexp.MustCompile("(?ms)^```cue\n(.*?)^```$").FindAllStringSubmatch(chapter, -1)
		if len(blocks) == 0 {
			continue
		}
		base := archive(t, "base.txtar")
		shown := &txtar.Archive{Files: []txtar.File{{Name: "tenants/acme/apps/shop/bin/filter.wasm", Data: []byte("\x00asm")}}}
		for _, block := range blocks {
			name := "more.cue"
			if strings.HasPrefix(block[1], "application:") {
				name = "tenants/acme/apps/shop/app.cue"
				shown.Files = append(shown.Files, txtar.File{Name: "tenants/acme/apps/shop/name.cue", Data: []byte("package fleet\n\napplication: {name: \"shop\", labels: team: \"web\"}\n")})
			} else if strings.Contains(block[1], "policy: runtimes:") { // in place of those of the base fleet
				root := &base.Files[0]
				root.Data = []byte(strings.Replace(string(root.Data), "\t\truntimes: [\"container\"]\n", "", 1))
			}
			shown.Files = append(shown.Files, txtar.File{Name: name, Data: []byte("package fleet\n\n" + block[1])})
		}
		f := judged(t, New(), unpack(base, shown), nil)
		require.Empty(t, report(f), title)
		require.Len(t, f.Applications, 1, title)
		ran[title] = f.Applications[0].Components[0].Runtime
	}
	require.Equal(t, map[string]string{"Several clusters": "container", "Plain processes": "process", "WebAssembly modules": "wasm", "Nomad": "nomad"}, ran)
}

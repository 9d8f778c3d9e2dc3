package evaluate

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

// What docs/fleet.md shows is accepted, all of it together.
func TestFleetPage(t *testing.T) {
	f := shownOn(t, "fleet.md", 7)
	require.Len(t, f.Applications, 1)
}

// What docs/definitions.md shows is accepted, all of it together.
func TestDefinitionsPage(t *testing.T) {
	f := shownOn(t, "definitions.md", 12, txtar.File{Name: "cue.mod/module.cue", Data: []byte("module: \"fleet.example\"\n")})
	require.Len(t, f.Applications, 3)
	for component, definition := range map[string]string{"cache": "redis", "settings": "settings", "mail": "mailer", "sessions": "cache@2"} {
		c, _ := f.Applications[0].Component(component)
		require.Equal(t, definition, c.Definition)
	}
}

// What docs/secrets.md shows is accepted.
func TestSecretsPage(t *testing.T) {
	f := shownOn(t, "secrets.md", 4, txtar.File{Name: "tenants/acme/apps/shop/db.enc.yaml", Data: []byte("password: ENC[]\n")})
	web, _ := f.Applications[0].Component("web")
	require.Contains(t, string(web.Properties), "db-shop")
	require.Contains(t, string(web.Properties), `{"key":"token","name":"api"}`)
	db, _ := f.Applications[0].Component("db")
	require.Equal(t, "db.enc.yaml", db.Encrypted())
	require.NotEmpty(t, db.Source)
}

// shownOn evaluates what a page shows: each block of CUE is the file that its first line
// names, beside the base fleet and other files.
func shownOn(t *testing.T, name string, blocks int, beside ...txtar.File) model.Fleet {
	page, err := os.ReadFile("../../docs/" + name)
	require.NoError(t, err)
	shown := &txtar.Archive{}
	for _, block := range regexp.MustCompile("(?ms)^```cue\n// (\\S+\\.cue)\n(.*?)^```$").FindAllSubmatch(page, -1) {
		text := string(block[2])
		if !strings.HasPrefix(text, "package ") {
			text = "package fleet\n\n" + text
		}
		shown.Files = append(shown.Files, txtar.File{Name: string(block[1]), Data: []byte(text)})
	}
	require.Len(t, shown.Files, blocks)
	shown.Files = append(shown.Files, beside...)
	f := judged(t, New(), unpack(archive(t, "base.txtar"), shown), nil)
	require.Empty(t, report(f))
	return f
}

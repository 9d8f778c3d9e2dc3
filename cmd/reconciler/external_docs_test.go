package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

// TestExternalPage: the application on docs/external.md, in the example of a fleet, is accepted and rendered by the commands
// that the page has: what runs elsewhere has no objects, and its addresses are where others refer to them. What the page says is
// refused is.
func TestExternalPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/external.md")
	require.NoError(t, err)
	example, err := filepath.Abs("../../examples/repo")
	require.NoError(t, err)
	var commands string
	files := map[string]string{}
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		name, text, _ := strings.Cut(block[2], "\n")
		if block[1] == "sh" {
			commands += "exec " + strings.ReplaceAll(strings.TrimSpace(block[2]), "\n", "\nexec ") + "\n"
			continue
		}
		files[strings.TrimLeft(name, "/# ")] = text
	}
	require.Len(t, files, 2)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "page.txtar"), []byte("page fleet\ncd fleet\nexec git init -q -b main\nexec git add --all\nexec git commit -q -m first\n"+commands+
		`stdout 'value: orders-db.provider.example:5432'
stdout 'value: https://payments.provider.example/v2'
! stdout 'name: orders-(db|payments)'
! stdout 'ExternalName'

# Another address is another release of what uses it.
exec sed -i 's/orders-db/orders-db2/' tenants/acme/apps/orders/app.cue
! exec reconciler plan
stdout 'acme/orders'

# Policy says where it may be, and what is referred to has to be there.
exec sed -i 's/orders-db2.provider.example/169.254.169.254/' tenants/acme/apps/orders/app.cue
! exec reconciler vet
stdout '^DA1260 application.components.db.properties.address: tenant acme allows calls to \*.provider.example \(egress.hosts\)$'
exec sed -i 's/169.254.169.254/orders-db.provider.example/; s/components.db.properties.address/components.bd.properties.address/' tenants/acme/apps/orders/app.cue
! exec reconciler vet
stdout 'tenants/acme/apps/orders/app.cue:18:20'
`), 0o600))
	testscript.Run(t, testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"page": func(ts *testscript.TestScript, _ bool, args []string) {
				root := ts.MkAbs(args[0])
				ts.Check(os.CopyFS(root, os.DirFS(example)))
				for name, text := range files {
					ts.Check(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
					ts.Check(os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
				}
			},
		},
		Setup: isolate,
	})
}

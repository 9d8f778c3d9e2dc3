package layer

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

var (
	shop      = model.AppID{Tenant: "acme", Name: "shop"}
	oldCommit = "1111111111111111111111111111111111111111"
	newCommit = "2222222222222222222222222222222222222222"
)

func tenantFile(data string) fstest.MapFS {
	return fstest.MapFS{"tenants/acme/tenant.cue": {Data: []byte(data)}}
}

// A pin changes its own lines and no others, and taking it out restores the file.
func TestPinLeavesTheRestAlone(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"a struct over several lines": {
			"package fleet\n\n// Acme.\ntenant: {\n\tname: \"acme\"\n\tquota: cpu: \"4\" // enough\n}\n",
			"package fleet\n\n// Acme.\ntenant: {\n\tname: \"acme\"\n\tquota: cpu: \"4\" // enough\n\n\treleases: shop: commit: \"" + newCommit + "\"\n}\n",
		},
		"indented in a way of its own": {
			"package fleet\ntenant: {\n    name:    \"acme\"\n  weight: 2   // two\n}\n",
			"package fleet\ntenant: {\n    name:    \"acme\"\n  weight: 2   // two\n\n  releases: shop: commit: \"" + newCommit + "\"\n}\n",
		},
		"other pins in braces": {
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: {\n\t\t// It waits.\n\t\tsite: commit: \"" + oldCommit + "\"\n\t}\n}\n",
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: {\n\t\t// It waits.\n\t\tsite: commit: \"" + oldCommit + "\"\n\t\tshop: commit: \"" + newCommit + "\"\n\t}\n}\n",
		},
		"another pin in one line": {
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\n\treleases: site: commit: \"" + oldCommit + "\"\n}\n",
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\n\treleases: site: commit: \"" + oldCommit + "\"\n\treleases: shop: commit: \"" + newCommit + "\"\n}\n",
		},
		"one line": {
			"package fleet\n\ntenant: {name: \"acme\", weight: 2}\n",
			"package fleet\n\ntenant: {name: \"acme\", weight: 2, releases: shop: commit: \"" + newCommit + "\"}\n",
		},
		"a comment at the end of the other pins": {
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: {\n\t\tsite: commit: \"" + oldCommit + "\"\n\t\t// Ask web before you pin more.\n\t}\n}\n",
			"package fleet\n\ntenant: {\n\tname: \"acme\"\n\treleases: {\n\t\tsite: commit: \"" + oldCommit + "\"\n\t\t// Ask web before you pin more.\n\n\t\tshop: commit: \"" + newCommit + "\"\n\t}\n}\n",
		},
		"lines of Windows, indented by spaces": {
			"package fleet\r\ntenant: {\r\n  name: \"acme\"\r\n  releases: {\r\n    site: commit: \"x\"\r\n  }\r\n}\r\n",
			"package fleet\r\ntenant: {\r\n  name: \"acme\"\r\n  releases: {\r\n    site: commit: \"x\"\r\n    shop: commit: \"" + newCommit + "\"\r\n  }\r\n}\r\n",
		},
		"no braces": {
			"package fleet\n\ntenant: name: \"acme\"\n",
			"package fleet\n\ntenant: name: \"acme\"\n\ntenant: releases: shop: commit: \"" + newCommit + "\"\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			edit, err := Pin(tenantFile(c.before), shop, newCommit)
			require.NoError(t, err)
			require.Equal(t, PinEdit{File: "tenants/acme/tenant.cue", Data: []byte(c.after)}, edit)
			back, err := Unpin(tenantFile(c.after), shop)
			require.NoError(t, err)
			require.Equal(t, c.before, string(back.Data))
			require.Equal(t, newCommit, back.Was)
		})
	}
}

// A pin that is there changes where it stands.
func TestPinMoves(t *testing.T) {
	files := tenantFile("package fleet\n\ntenant: name: \"acme\"\n")
	files["tenants/acme/pins.cue"] = &fstest.MapFile{Data: []byte(
		"package fleet\n\n// until the holidays are over\ntenant: releases: shop: commit: \"" + oldCommit + "\" // 1.4\n")}
	edit, err := Pin(files, shop, newCommit)
	require.NoError(t, err)
	require.Equal(t, PinEdit{File: "tenants/acme/pins.cue", Was: oldCommit, Data: []byte(
		"package fleet\n\n// until the holidays are over\ntenant: releases: shop: commit: \"" + newCommit + "\" // 1.4\n")}, edit)
	edit, err = Unpin(files, shop)
	require.NoError(t, err)
	require.Equal(t, "package fleet\n", string(edit.Data), "what was said about the pin goes with it")
	edit, err = Unpin(tenantFile("package fleet\n\ntenant: name: \"acme\"\n"), shop)
	require.NoError(t, err)
	require.Empty(t, edit.File)
}

// Names that are no identifiers are quoted; what cannot be edited is said.
func TestPinOddities(t *testing.T) {
	edit, err := Pin(tenantFile("package fleet\n\ntenant: name: \"acme\"\n"), model.AppID{Tenant: "acme", Name: "web-shop"}, newCommit)
	require.NoError(t, err)
	require.Contains(t, string(edit.Data), "tenant: releases: \"web-shop\": commit: \""+newCommit+"\"\n")
	again, err := Pin(fstest.MapFS{edit.File: {Data: edit.Data}}, model.AppID{Tenant: "acme", Name: "web-shop"}, oldCommit)
	require.NoError(t, err)
	require.Equal(t, newCommit, again.Was)

	_, err = Pin(tenantFile("package fleet\n\ntenant: releases: shop: commit: \"1\" + \"2\"\n"), shop, newCommit)
	require.ErrorContains(t, err, "tenants/acme/tenant.cue:3:33: tenant.releases.shop.commit is an expression; edit it by hand")
	_, err = Pin(tenantFile("package fleet\n\ntenant: {\n"), shop, newCommit)
	require.ErrorContains(t, err, "tenants/acme/tenant.cue")
	_, err = Pin(fstest.MapFS{}, shop, newCommit)
	require.ErrorContains(t, err, "no CUE file")
}

// Whatever the file, an edit that succeeds makes a file with the pin in it.
func FuzzPin(f *testing.F) {
	for _, seed := range []string{
		"package fleet\ntenant: name: \"acme\"", "tenant: {a: 1, releases: {shop: commit: \"x\"}}", "tenant: {}\r\n", "tenant: {\n}", "tenant: {releases: {\n}, b: 2\n}",
		"tenant: releases: {shop: {commit: \"x\" // c\n}}", "tenant: \"releases\": \"shop\": {\n// d\ncommit: #\"x\"#}", "tenant: {if true {releases: shop: commit: \"x\"}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		edit, err := Pin(tenantFile(data), shop, newCommit)
		if err != nil {
			return
		}
		again, err := Pin(fstest.MapFS{edit.File: {Data: edit.Data}}, shop, newCommit)
		require.NoError(t, err, "%q", edit.Data)
		require.Equal(t, newCommit, again.Was, "%q", edit.Data)
		require.Equal(t, string(edit.Data), string(again.Data))
	})
}

// A pin that is there in another form is changed where it stands, or the error names its place: a
// second one beside it would conflict with it.
func TestPinInOtherForms(t *testing.T) {
	for data, want := range map[string]string{
		"tenant: releases: R={shop: commit: \"abc\", site: R.shop}\n":   "tenant: releases: R={shop: commit: \"" + newCommit + "\", site: R.shop}\n",
		"tenant: releases: ({shop: commit: \"abc\"})\n":                 "tenant: releases: ({shop: commit: \"" + newCommit + "\"})\n",
		"tenant: {releases: {shop: commit: \"abc\"} & #Releases}\n":     "tenant: {releases: {shop: commit: \"" + newCommit + "\"} & #Releases}\n",
		"tenant: {releases: #Releases & {site: commit: \"abc\"}}\n":     "tenant: {releases: #Releases & {site: commit: \"abc\", shop: commit: \"" + newCommit + "\"}}\n",
		"tenant: {{releases: shop: commit: \"abc\"}, name: \"acme\"}\n": "tenant: {{releases: shop: commit: \"" + newCommit + "\"}, name: \"acme\"}\n",
		"tenant: {if true {releases: shop: commit: \"abc\"}}\n":         "tenants/acme/tenant.cue:1:43: tenant.releases.shop.commit stands in a condition or a loop; edit it by hand",
		"tenant: releases: shop: old\nold: commit: \"abc\"\n":           "tenants/acme/tenant.cue:1:25: tenant.releases.shop is a reference; edit it by hand",
		"tenant: releases: pins\n":                                      "tenants/acme/tenant.cue:1:19: tenant.releases is a reference; edit it by hand",
	} {
		edit, err := Pin(tenantFile(data), shop, newCommit)
		if err != nil {
			require.EqualError(t, err, want, data)
			continue
		}
		require.Equal(t, want, string(edit.Data), data)
	}
}

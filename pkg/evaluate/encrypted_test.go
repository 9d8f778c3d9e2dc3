package evaluate

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestEncryptedFiles: a release of an application with an encrypted file is another one if
// the ciphertext is, and not if a file beside it is. Nobody looks for keys in it.
func TestEncryptedFiles(t *testing.T) {
	app := func(ciphertext, other string) *model.Application {
		f := New().Fleet("", unpack(archive(t, "base.txtar"), &txtar.Archive{Files: []txtar.File{
			{Name: "tenants/acme/apps/shop/more.cue", Data: []byte(`package fleet

application: components: {
	db: {type: "secret", properties: sops: "secrets/db.enc.yaml"}
	web: properties: env: PASSWORD: secret: {name: "db", key: "password"}
}
`)},
			{Name: "tenants/acme/apps/shop/secrets/db.enc.yaml", Data: []byte(ciphertext)},
			{Name: "tenants/acme/apps/shop/secrets/other.enc.yaml", Data: []byte(other)},
			{Name: "tenants/acme/apps/shop/NOTES.md", Data: []byte(other)},
		}}), nil)
		require.Empty(t, report(f))
		return f.Applications[0]
	}
	first := app("password: ENC[1]\n", "x")
	require.Equal(t, first.Release, app("password: ENC[1]\n", "y").Release)
	require.NotEqual(t, first.Release, app("password: ENC[2]\n", "x").Release)
	require.NotEqual(t, first.Digest, app("password: ENC[2]\n", "x").Digest)
}

package access_test

import (
	"crypto"
	"fmt"
	"strings"
	"testing"

	"github.com/ProtonMail/go-crypto/openpgp/packet"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// TestHostWithAnOpenPGPKey: a host signs as GitHub does. Its key makes a clean merge of
// signed commits count, and nothing else.
func TestHostWithAnOpenPGPKey(t *testing.T) {
	key := newPGPKey(t, packet.Config{Algorithm: packet.PubKeyAlgoRSA, RSABits: 2048})
	fleet := staffed(t)
	fleet.Platform.Access.Principals = append(fleet.Platform.Access.Principals, model.Principal{Name: "github", OpenPGP: []string{key.public(t)}})
	fleet.Platform.Access.Mergers = []string{"github"}
	hosted := func(side *access.Side, paths ...string) access.Commit {
		c := commit(paths...)
		c.Signature, c.Side = key.sign(t, c.Payload, made, crypto.SHA256), side
		return c
	}
	change := signed(t, ed(t, "bob"), shopFile)
	for name, c := range map[string]struct {
		commit access.Commit
		code   string
	}{
		"merge":              {hosted(&access.Side{Commits: []access.Commit{change}}, shopFile), ""},
		"squash":             {hosted(nil, shopFile), access.CodeMerge},
		"not clean":          {hosted(&access.Side{Commits: []access.Commit{change}, Unmerged: []string{shopFile}}, shopFile), access.CodeMerge},
		"more than its side": {hosted(&access.Side{Commits: []access.Commit{change}}, shopFile, "x"), access.CodeMerge},
		"cannot be judged":   {hosted(&access.Side{Refused: "brings more than is read at once"}, shopFile), access.CodeMerge},
		"unsigned side":      {hosted(&access.Side{Commits: []access.Commit{commit(shopFile)}}, shopFile), access.CodeUnsigned},
	} {
		_, v := access.New(fleet.Platform, fleet.Tenants).Verify(c.commit, now)
		if c.code == "" {
			require.Nil(t, v, name)
			continue
		}
		require.NotNil(t, v, name)
		require.Equal(t, c.code, v.Code, name)
	}
	fleet.Platform.Access.Admins = append(fleet.Platform.Access.Admins, "github") // which vet refuses
	_, v := access.New(fleet.Platform, fleet.Tenants).Verify(hosted(nil, shopFile), now)
	require.Equal(t, access.CodeMerge, v.Code, "it has no rights, whoever gives it some")
	fleet.Platform.Access.Admins = []string{"github"}
	require.False(t, access.New(fleet.Platform, fleet.Tenants).Governed(now))
}

// TestReviewsAreLookedForWithinBounds: a review that comes long after what waits is not
// looked for, and what was accepted before stays accepted.
func TestReviewsAreLookedForWithinBounds(t *testing.T) {
	fleet := staffed(t)
	fleet.Platform.Access.Audience = "test"
	for between, accepted := range map[int]bool{3: true, 1100: false} {
		b := branch{layers: map[string]model.Fleet{}}
		add := func(paths []string, message string) {
			c := commit(paths...)
			c.Hash, c.Parents = fmt.Sprintf("%040x", len(b.commits)+1), []string{"parent"}
			c.Payload = []byte("tree …\n\n" + message)
			c.Signature = ed(t, "bob").sign(t, c.Payload)
			b.commits = append(b.commits, c)
		}
		add([]string{shopFile}, "stated\n\nFleet: test/main\n")
		add([]string{shopFile}, "unfinished\n")
		for range between {
			add(nil, "empty\n")
		}
		add(nil, "review\n\nFleet: test/main\n")
		line := b.line(start)
		line.Branch = "main"
		v, err := access.Judge(line, recordedAt(start, fleet), "", now, b.evaluate)
		require.NoError(t, err)
		if accepted {
			require.Nil(t, v.Refused)
			require.Equal(t, b.tip(), v.Commit)
			continue
		}
		require.Equal(t, access.CodeStatement, v.Refused.Code)
		require.Equal(t, b.commits[0].Hash, v.Commit)
		require.True(t, strings.HasSuffix(v.Refused.Commit, "2"))
	}
}

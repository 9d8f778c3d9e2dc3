package webhook

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAttack20Webhook: a message without the key, one that was sent before and one beyond
// the size wake nobody. One that is not JSON is no reason to fail: a message only makes
// the next poll come sooner.
func TestAttack20Webhook(t *testing.T) {
	h := handler("refs/heads/main")
	signed := func(body string) http.Header { return headerOf("X-Hub-Signature-256", "sha256="+hexCode(body)) }

	status, _ := send(h, headerOf("X-Hub-Signature-256", "sha256="+strings.Repeat("00", 32)), pushToMain)
	require.Equal(t, http.StatusUnauthorized, status, "spoofed")
	require.False(t, hinted(h))

	large := strings.Repeat("x", 50<<20)
	status, _ = send(h, signed(large), large)
	require.Equal(t, http.StatusRequestEntityTooLarge, status, "50 MB")
	require.False(t, hinted(h))

	status, _ = send(h, signed(pushToMain), pushToMain)
	require.Equal(t, http.StatusAccepted, status)
	require.True(t, hinted(h))
	status, _ = send(h, signed(pushToMain), pushToMain)
	require.Equal(t, http.StatusOK, status, "replayed")
	require.False(t, hinted(h))

	for _, malformed := range []string{"", "{", "null", "[]", `{"ref": 7}`, `{"ref": {"a": []}}`, "\x00", strings.Repeat("[", 1<<19)} {
		status, _ = send(h, signed(malformed), malformed)
		require.Equal(t, http.StatusAccepted, status, "%.20q", malformed)
		require.True(t, hinted(h), "only that: a poll")
	}
}

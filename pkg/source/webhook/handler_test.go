package webhook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	testKey = []byte("a key of more than sixteen bytes")
	testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

const pushToMain = `{"ref": "refs/heads/main", "after": "a6d31f3b"}`

func handler(ref string) *Handler {
	return New(Options{Key: func() ([]byte, error) { return testKey, nil }, Ref: ref, Now: func() time.Time { return testNow }})
}

// hexCode is the code as GitHub, Gitea and Forgejo write it, computed by the standard library alone.
func hexCode(text string) string {
	h := hmac.New(sha256.New, testKey)
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// standard are the headers of Standard Webhooks, as GitLab sends them.
func standard(id string, at time.Time, body string) http.Header {
	h := http.Header{}
	seconds := strconv.FormatInt(at.Unix(), 10)
	h.Set("webhook-id", id)
	h.Set("webhook-timestamp", seconds)
	sum, _ := hex.DecodeString(hexCode(id + "." + seconds + "." + body))
	h.Set("webhook-signature", "v1,b3RoZXI= v1,"+base64.StdEncoding.EncodeToString(sum)) // the other is of a key before
	return h
}

func send(h *Handler, header http.Header, body string) (status int, text string) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, strings.TrimSpace(w.Body.String())
}

func hinted(h *Handler) bool {
	select {
	case <-h.Hints():
		return true
	default:
		return false
	}
}

func headerOf(name, value string) http.Header {
	h := http.Header{}
	h.Set(name, value)
	return h
}

// What each Git host sends wakes the poll, once.
func TestSignedMessagesWakeThePoll(t *testing.T) {
	for name, header := range map[string]http.Header{
		"GitHub":  headerOf("X-Hub-Signature-256", "sha256="+hexCode(pushToMain)),
		"Gitea":   headerOf("X-Gitea-Signature", hexCode(pushToMain)),
		"Forgejo": headerOf("X-Forgejo-Signature", hexCode(pushToMain)),
		"GitLab":  standard("msg_1", testNow.Add(-time.Minute), pushToMain),
	} {
		t.Run(name, func(t *testing.T) {
			h := handler("refs/heads/main")
			status, _ := send(h, header, pushToMain)
			require.Equal(t, http.StatusAccepted, status)
			require.True(t, hinted(h))

			status, text := send(h, header, pushToMain)
			require.Equal(t, http.StatusOK, status)
			require.Equal(t, "received before", text)
			require.False(t, hinted(h), "a repeated message wakes nobody")
		})
	}
}

// The example of GitHub's documentation of webhooks.
func TestExampleOfGitHub(t *testing.T) {
	mac, ok := verify(headerOf("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"),
		[]byte("Hello, World!"), []byte("It's a Secret to Everybody"), testNow)
	require.True(t, ok)
	require.Equal(t, "757107ea", hex.EncodeToString(mac[:4]))
}

func TestRefusedMessages(t *testing.T) {
	changed := standard("msg_1", testNow, pushToMain)
	changed.Set("webhook-id", "msg_2")
	both := standard("msg_1", testNow, "another body") // the first header counts; a good second one rescues nothing
	both.Set("X-Hub-Signature-256", "sha256="+hexCode(pushToMain))
	for name, header := range map[string]http.Header{
		"no signature":    {},
		"wrong key":       headerOf("X-Hub-Signature-256", "sha256="+strings.Repeat("ab", 32)),
		"empty":           headerOf("X-Hub-Signature-256", "sha256="),
		"cut off":         headerOf("X-Gitea-Signature", hexCode(pushToMain)[:32]),
		"another body":    headerOf("X-Gitea-Signature", hexCode(pushToMain+" ")),
		"a plain token":   headerOf("X-Gitlab-Token", string(testKey)),
		"too old":         standard("msg_1", testNow.Add(-6*time.Minute), pushToMain),
		"of the future":   standard("msg_1", testNow.Add(6*time.Minute), pushToMain),
		"another message": changed,
		"first header":    both,
		"no time":         headerOf("webhook-signature", "v1,"+base64.StdEncoding.EncodeToString([]byte("x"))),
	} {
		t.Run(name, func(t *testing.T) {
			h := handler("refs/heads/main")
			status, text := send(h, header, pushToMain)
			require.Equal(t, http.StatusUnauthorized, status)
			require.Contains(t, text, "--webhook-key")
			require.False(t, hinted(h))
		})
	}
}

// Pushes to the status branch, of the reconciler itself among them, wake nobody.
func TestOnlyTheFollowedBranchWakes(t *testing.T) {
	toStatus := strings.Replace(pushToMain, "main", "status", 1)
	h := handler("refs/heads/main")
	status, _ := send(h, headerOf("X-Hub-Signature-256", "sha256="+hexCode(toStatus)), toStatus)
	require.Equal(t, http.StatusOK, status)
	require.False(t, hinted(h))

	for _, body := range []string{`{"zen": "a ping has no ref"}`, "payload=%7B%7D"} {
		status, _ = send(h, headerOf("X-Hub-Signature-256", "sha256="+hexCode(body)), body)
		require.Equal(t, http.StatusAccepted, status)
		require.True(t, hinted(h), body)
	}
	every := handler("")
	status, _ = send(every, headerOf("X-Hub-Signature-256", "sha256="+hexCode(toStatus)), toStatus)
	require.Equal(t, http.StatusAccepted, status)
}

func TestOtherRequests(t *testing.T) {
	h := handler("")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	require.Equal(t, http.StatusMethodNotAllowed, w.Code)
	require.Equal(t, "POST", w.Header().Get("Allow"))

	large := strings.Repeat("x", maxBody+1)
	status, _ := send(h, headerOf("X-Hub-Signature-256", "sha256="+hexCode(large)), large)
	require.Equal(t, http.StatusRequestEntityTooLarge, status)
	status, _ = send(h, headerOf("X-Hub-Signature-256", "sha256="+hexCode(large[1:])), large[1:])
	require.Equal(t, http.StatusAccepted, status)

	h.options.Key = func() ([]byte, error) { return nil, errors.New("open /secret/path: gone") }
	status, text := send(h, headerOf("X-Hub-Signature-256", "sha256="+hexCode("y")), "y")
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.NotContains(t, text, "/secret/path")
}

// What is remembered is bounded, and the last messages are.
func TestRememberedMessagesAreBounded(t *testing.T) {
	var s seen
	of := func(i int) [sha256.Size]byte { return sha256.Sum256([]byte(strconv.Itoa(i))) }
	for i := range 3 * remembered {
		require.True(t, s.add(of(i)))
		require.False(t, s.add(of(i)))
		require.False(t, s.add(of(max(0, i-remembered+1))), i)
	}
	require.Len(t, s.codes, remembered)
	require.Len(t, s.order, remembered)
	require.True(t, s.add(of(0)))
}

// FuzzMessage: whatever is sent, nobody without the key wakes the poll.
func FuzzMessage(f *testing.F) {
	for name, values := range standard("msg_1", testNow, pushToMain) {
		f.Add(name, values[0], []byte(pushToMain))
	}
	f.Add("X-Hub-Signature-256", "sha256="+strings.Repeat("00", 32), []byte("{"))
	f.Add("X-Gitea-Signature", "zz", []byte(`{"ref": 7}`))
	f.Fuzz(func(t *testing.T, name, value string, body []byte) {
		h := handler("refs/heads/main")
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(body))
		r.Header.Set(name, value)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		signed := value == "sha256="+hexCode(string(body)) || value == hexCode(string(body))
		if w.Code == http.StatusAccepted && !signed {
			t.Fatalf("%q: %q", name, value)
		}
	})
}

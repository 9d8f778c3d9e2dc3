package outbound

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/workflow"
	"github.com/d-aros/d-aros/test/page"
)

const key = "0123456789abcdef0123456789abcdef"

func TestNotice(t *testing.T) {
	s := receive(t, nil)
	dir := keys(t, map[string]string{"acme/hooks": key + "\n"})
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	task := noticeOf("a", s.URL+"/in", "hooks")
	task.Intent.Deadline = at.Add(time.Minute)
	require.Equal(t, workflow.Result{Key: "a", OK: true, Status: 200}, one(t, Options{Keys: dir, Now: func() time.Time { return at }}, task))

	got := s.seen()[0]
	require.Equal(t, "POST /in", got.Method+" "+got.URL.Path)
	shown := page.Part(t, "../../docs/workflow.md", "notice")
	require.JSONEq(t, strings.TrimSuffix(strings.TrimPrefix(shown, "```json\n"), "```\n"), string(got.body), "docs/workflow.md shows it")
	require.Equal(t, "application/json", got.Header.Get("Content-Type"))
	require.Equal(t, "run/tell/1", got.Header.Get("webhook-id"))
	mac := hmac.New(sha256.New, []byte(key))
	fmt.Fprintf(mac, "run/tell/1.%d.%s", at.Unix(), got.body)
	require.Equal(t, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)), got.Header.Get("webhook-signature"))
}

// The example of the specification's own libraries.
func TestSignatureIsTheStandardOne(t *testing.T) {
	k, err := decodeKey(strings.NewReader("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n"))
	require.NoError(t, err)
	h := http.Header{}
	sign(h, "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`), k)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", h.Get("webhook-signature"))
}

// A message is sent until it is taken, and is the same message each time.
func TestNoticeIsSentAgain(t *testing.T) {
	s := receive(t, func(n int, w http.ResponseWriter, r *http.Request) {
		switch n {
		case 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		case 2:
			panic(http.ErrAbortHandler) // the connection breaks
		}
	})
	require.True(t, one(t, Options{}, noticeOf("a", s.URL, "")).OK)
	seen := s.seen()
	require.Len(t, seen, 3)
	for _, r := range seen {
		require.Equal(t, seen[0].body, r.body)
		require.Equal(t, "run/tell/1", r.Header.Get("webhook-id"))
	}
}

func TestNoticeThatNobodyTakes(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
	r := one(t, Options{}, noticeOf("a", s.URL, ""))
	require.Equal(t, workflow.Result{Key: "a", Class: ClassUnreachable, Message: "after 10 attempts: the receiver answers 502", Status: 502}, r)
	require.Len(t, s.seen(), attempts)

	gone := receive(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	r = one(t, Options{}, noticeOf("a", gone.URL, ""))
	require.Equal(t, workflow.Result{Key: "a", Class: ClassAnswer, Message: "the receiver refuses the message with 410", Status: 410}, r)
	require.Len(t, gone.seen(), 1)
}

// Without its key nothing is sent, and no key is ever told.
func TestNoticeWithoutItsKey(t *testing.T) {
	s := receive(t, nil)
	dir := keys(t, map[string]string{"acme/short": "secret7", "acme/odd": "whsec_%%%secret7", "beta/hooks": key, "acme/deep/hooks": key})
	for _, secret := range []string{"hooks", "short", "odd", "deep", "../beta/hooks", "deep/hooks", "..", "."} {
		r := one(t, Options{Keys: dir}, noticeOf("a", s.URL, secret))
		require.Equal(t, ClassKey, r.Class, secret)
		require.NotContains(t, r.Message, "secret7")
	}
	r := one(t, Options{}, noticeOf("a", s.URL, "hooks"))
	require.Equal(t, "there is no key hooks of tenant acme; whoever runs the reconciler puts it there (--notify-keys)", r.Message)
	require.Empty(t, s.seen())
}

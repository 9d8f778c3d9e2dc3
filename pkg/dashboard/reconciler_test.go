package dashboard

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReconcilerIsAsked: pages say when its last pass ended and what it says; while it is away, why, and what it said last.
func TestReconcilerIsAsked(t *testing.T) {
	var code atomic.Int32
	says := "ok"
	writer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "/readyz", r.URL.Path)
		w.Header().Set(LastPass, began.Format(time.RFC3339))
		w.Header().Set("Location", "http://evil.example/")
		w.WriteHeader(int(code.Load()))
		fmt.Fprintln(w, says)
	}))
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := signedIn(t, s)
	require.NotContains(t, c.get("meta").Body.String(), "reconciler")
	var err error
	s.Reconciler, err = NewReconciler(writer.URL + "/")
	require.NoError(t, err)
	standing := func(status int32) Standing {
		code.Store(status)
		s.Reconciler.look(t.Context())
		var m Meta
		require.NoError(t, json.Unmarshal(c.get("meta").Body.Bytes(), &m))
		return *m.Reconciler
	}
	require.Equal(t, Standing{Ended: began, Ready: true, Says: "ok"}, standing(http.StatusOK))
	says = "source unavailable\x1b[31m" + strings.Repeat("a", 2*maxSays)
	is := standing(http.StatusServiceUnavailable)
	require.False(t, is.Ready)
	require.Contains(t, is.Says, "source unavailable")
	require.NotContains(t, is.Says, "\x1b")
	require.LessOrEqual(t, len(is.Says), maxSays)
	require.Contains(t, standing(http.StatusFound).Error, "as no reconciler does")
	says = "ok"
	require.Equal(t, Standing{Ended: began, Ready: true, Says: "ok"}, standing(http.StatusOK))
	writer.Close()
	is = standing(http.StatusOK)
	require.Contains(t, is.Error, "does not answer")
	require.Equal(t, began, is.Ended, "what it said last stays")
	for _, address := range []string{"", "reconciler:8080", "file:///etc/passwd", "http://", "http://user:secret@x", "http://x/?a=b", "ftp://x"} {
		_, err := NewReconciler(address)
		require.Error(t, err, address)
	}
}

package dashboard

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// TestUnchangedAnswers: a commit that changes nothing of an answer costs its reader a 304.
func TestUnchangedAnswers(t *testing.T) {
	b := &memory{moments: []Moment{small(0, "one of two is ready")}}
	s, _ := newServer(t, b, nil)
	c := signedIn(t, s)
	first := c.get("applications")
	tag := first.Header().Get("ETag")
	require.Regexp(t, `^"[0-9a-f]{32}"$`, tag)
	require.Equal(t, commit(0), first.Header().Get("Daros-Status-Commit"))

	elsewhere := small(1, "one of two is ready")
	elsewhere.Ledger.Commit = commit(9)
	b.push(elsewhere)
	s.follower.look(t.Context())
	same := c.get("applications", "If-None-Match", `"other", W/`+tag)
	require.Equal(t, http.StatusNotModified, same.Code)
	require.Empty(t, same.Body.String())
	require.Equal(t, commit(1), same.Header().Get("Daros-Status-Commit"))
	require.Equal(t, http.StatusOK, c.get("fleet", "If-None-Match", tag).Code)

	b.push(small(2, "all are ready"))
	s.follower.look(t.Context())
	require.Equal(t, http.StatusOK, c.get("applications", "If-None-Match", tag).Code)
	past := c.get("applications?at=" + commit(0))
	require.Equal(t, first.Body.String(), past.Body.String())
	require.Equal(t, tag, past.Header().Get("ETag"))
	require.Equal(t, commit(0), past.Header().Get("Daros-Status-Commit"))
}

func TestCompression(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, strings.Repeat("a", 2000))}}, nil)
	c := signedIn(t, s)
	plain := c.get("applications")
	for accept, zipped := range map[string]bool{"gzip": true, "br, gzip;q=0.5": true, "gzip;q=0": false, "br": false, "gzipped": false, "": false} {
		w := c.get("applications", "Accept-Encoding", accept)
		require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		require.Equal(t, plain.Header().Get("ETag"), w.Header().Get("ETag"))
		if !zipped {
			require.Empty(t, w.Header().Get("Content-Encoding"), accept)
			continue
		}
		require.Equal(t, "gzip", w.Header().Get("Content-Encoding"), accept)
		z, err := gzip.NewReader(w.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(z)
		require.NoError(t, err)
		require.Equal(t, plain.Body.String(), string(body))
	}
	require.Empty(t, c.get("problems", "Accept-Encoding", "gzip").Header().Get("Content-Encoding"), "it is small")
}

// TestGitAway: the last good answer stays, and meta says why it may be old.
func TestGitAway(t *testing.T) {
	b := &memory{moments: []Moment{small(0, "")}}
	s, now := newServer(t, b, nil)
	c := signedIn(t, s)
	meta := func() (m Meta) {
		w := c.get("meta")
		require.Equal(t, http.StatusOK, w.Code)
		require.Empty(t, w.Header().Get("ETag"))
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &m))
		return m
	}
	require.Equal(t, Meta{Version: "v1", Repo: "/fleet", Branch: "status", Commit: commit(0), SourceCommit: commit(10), Changed: began, Looked: began}, meta())
	b.away = errors.New("the host does not answer")
	now.pass(time.Minute)
	s.follower.look(t.Context())
	require.Equal(t, Meta{Version: "v1", Repo: "/fleet", Branch: "status", Commit: commit(0), SourceCommit: commit(10), Changed: began, Looked: began, Error: "the host does not answer"}, meta())
	require.Equal(t, http.StatusOK, c.get("fleet").Code)
	b.away = nil
	s.follower.look(t.Context())
	require.Equal(t, began.Add(time.Minute), meta().Looked)
	require.Empty(t, meta().Error)

	s, _ = newServer(t, &memory{away: errors.New("the host does not answer")}, nil)
	c = signedIn(t, s)
	require.Contains(t, refused(t, http.StatusServiceUnavailable, c.get("fleet")), "the host does not answer")
	require.Equal(t, "the host does not answer", meta().Error)
}

// TestNoBranchYet: the fleet has nothing yet, and says so with success.
func TestNoBranchYet(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{{Ledger: &model.Ledger{}}}}, nil)
	c := signedIn(t, s)
	for _, path := range []string{"fleet", "applications", "pools", "problems", "timeline", "meta"} {
		require.Equal(t, http.StatusOK, c.get(path).Code, path)
	}
	require.Contains(t, refused(t, http.StatusNotFound, c.get("applications/acme/shop")), "the status branch knows no application acme/shop")
}

// TestPast: the pages of the timeline hold each commit once, and two moments can be compared.
func TestPast(t *testing.T) {
	b := &memory{}
	for n := range byte(5) {
		b.push(small(n, fmt.Sprint(n)))
	}
	b.moments[4].Ledger.Instances[0].Phase = model.PhaseRunning
	s, _ := newServer(t, b, nil)
	c := signedIn(t, s)
	var seen []string
	for before := ""; ; {
		var page view.Timeline
		require.NoError(t, json.Unmarshal(c.get("timeline?limit=2&before="+before).Body.Bytes(), &page))
		for _, one := range page.Commits {
			seen = append(seen, one.Commit)
		}
		if before = page.Next; before == "" {
			break
		}
	}
	require.Equal(t, []string{commit(4), commit(3), commit(2), commit(1), commit(0)}, seen)

	var v view.Changes
	require.NoError(t, json.Unmarshal(c.get("changes?from="+commit(0)+"&to="+commit(3)).Body.Bytes(), &v))
	require.Empty(t, v.Applications)
	require.NoError(t, json.Unmarshal(c.get("changes?from="+commit(0)).Body.Bytes(), &v))
	require.Equal(t, commit(4), v.To, "without to it is the newest moment")
	require.Len(t, v.Applications, 1)
	require.Equal(t, model.PhaseDegraded, v.Applications[0].Before.Phase)
	require.Equal(t, model.PhaseRunning, v.Applications[0].After.Phase)
}

// slowPast is a branch whose past takes as long to read as a test lets it.
type slowPast struct {
	*memory
	begun, proceed chan struct{}
	at, most       atomic.Int32 // who reads
}

func (b *slowPast) At(ctx context.Context, commit string) (Moment, error) {
	b.most.Store(max(b.most.Load(), b.at.Add(1)))
	defer b.at.Add(-1)
	b.begun <- struct{}{}
	<-b.proceed
	return b.memory.At(ctx, commit)
}

// TestFewReadThePast: however many ask for moments, two are read at a time.
func TestFewReadThePast(t *testing.T) {
	b := &slowPast{memory: &memory{moments: []Moment{small(0, ""), small(1, "")}}, begun: make(chan struct{}, 5), proceed: make(chan struct{}, 5)}
	s, _ := newServer(t, b, nil)
	c := signedIn(t, s)
	answered := make(chan int)
	for range 5 {
		go func() { answered <- c.get("fleet?at=" + commit(0)).Code }()
	}
	for range maxReading {
		<-b.begun
	}
	for range 5 {
		b.proceed <- struct{}{}
	}
	for range 5 {
		require.Equal(t, http.StatusOK, <-answered)
	}
	require.EqualValues(t, maxReading, b.most.Load())
}

package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// cluster is a cluster in memory.
type cluster struct {
	mu       sync.Mutex
	followed int // at the moment
	begun    int // ever
	version  int
	changed  chan struct{}
	away     error
	log      func() io.ReadCloser
}

func newCluster() *cluster { return &cluster{changed: make(chan struct{})} }

func (c *cluster) Follow(app model.AppID, of runtime.Person) (Followed, error) {
	if of.Name == "eve" {
		return nil, errors.New("the cluster shows nothing to eve")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.followed++
	c.begun++
	return &watched{c, app}, nil
}

func (c *cluster) now() (followed, begun int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.followed, c.begun
}

func (c *cluster) change() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version++
	close(c.changed)
	c.changed = make(chan struct{})
}

type watched struct {
	*cluster
	app model.AppID
}

func (w *watched) Look(context.Context, *model.Ledger) (runtime.Live, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return runtime.Live{Objects: []runtime.LiveObject{{ID: strconv.Itoa(w.version), Kind: "Pod", Name: "<b>" + w.app.Name}}, Total: 1}, w.away
}

func (w *watched) Changed() (int, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.version, w.changed
}

func (w *watched) Logs(_ context.Context, q runtime.LogQuery) (io.ReadCloser, error) {
	if q.Pod != "web" || q.Lines != mostLines {
		return nil, &runtime.NotLiveError{Sentence: "acme/shop has no pod " + q.Pod}
	}
	return w.log(), nil
}

func (w *watched) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.followed--
}

const shopLive = "applications/acme/shop/live"

func serveCluster(t *testing.T) (*Server, *cluster) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := newCluster()
	s.Cluster, s.viewings = c, newViewings(c)
	t.Cleanup(s.viewings.close)
	return s, c
}

// TestLiveIsAskedAsWhoAsks: on a shared dashboard the cluster decides what each of those shows who may read an application.
func TestLiveIsAskedAsWhoAsks(t *testing.T) {
	m := small(0, "")
	m.Ledger.Tenants = []model.Tenant{{Name: "acme", Access: &model.Access{Viewers: []string{"user:ada", "user:eve"}}}}
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	s.Gate, s.viewings = asks{}, newViewings(newCluster())
	t.Cleanup(s.viewings.close)
	c := stranger(t, s)
	require.Equal(t, http.StatusOK, c.get(shopLive, "Test-User", "ada").Code)
	w := c.get(shopLive, "Test-User", "eve")
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Contains(t, w.Body.String(), "the cluster shows nothing to eve")
	require.Equal(t, http.StatusNotFound, c.get("applications/globex/web/live", "Test-User", "ada").Code)
}

// TestLive: what there is of an application is an answer like others, while there is a cluster that answers.
func TestLive(t *testing.T) {
	bare, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	c := signedIn(t, bare)
	require.Contains(t, c.get("meta").Body.String(), `"live": false`)
	w := c.get(shopLive)
	require.Equal(t, http.StatusNotImplemented, w.Code)
	require.Contains(t, w.Body.String(), "--live")

	s, world := serveCluster(t)
	for _, path := range []string{shopLive, shopLive + "/stream", shopLive + "/logs?pod=web&container=c"} {
		require.Equal(t, http.StatusUnauthorized, stranger(t, s).get(path).Code, path)
	}
	followed, _ := world.now()
	require.Zero(t, followed, "strangers begin nothing")
	c = signedIn(t, s)
	require.Contains(t, c.get("meta").Body.String(), `"live": true`)
	w = c.get(shopLive)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.Contains(t, w.Body.String(), `"name": "<b>shop"`)
	require.Equal(t, http.StatusNotModified, c.get(shopLive, "If-None-Match", w.Header().Get("ETag")).Code)
	world.change()
	require.Equal(t, http.StatusOK, c.get(shopLive, "If-None-Match", w.Header().Get("ETag")).Code)

	for _, path := range []string{"applications/acme/ghost/live", "applications/acme/ghost/live/stream", "applications/acme/ghost/live/logs", "applications/acme/%2e%2e/live", shopLive + "/logs?pod=coredns&container=c"} {
		require.Equal(t, http.StatusNotFound, c.get(path).Code, path)
	}
	require.Equal(t, http.StatusMethodNotAllowed, c.post(shopLive, "").Code)

	world.away = errors.New("the cluster shows nothing of acme/shop: connection refused")
	w = c.get(shopLive)
	require.Equal(t, http.StatusServiceUnavailable, w.Code)
	require.Contains(t, w.Body.String(), "connection refused")
	require.Equal(t, http.StatusServiceUnavailable, c.get(shopLive+"/logs?pod=web&container=c").Code)
	require.Equal(t, http.StatusOK, c.get("applications/acme/shop").Code, "all other pages go on")
}

// TestLiveStream: a change is one event.
func TestLiveStream(t *testing.T) {
	s, world := serveCluster(t)
	s.pace.between = time.Millisecond
	v := serve(t, s, listen(t), nil)
	w := v.get(shopLive + "/stream")
	require.Equal(t, []string{`{"version":0}`}, events(t, w, 1))
	world.change()
	require.Equal(t, []string{`{"version":1}`}, events(t, w, 1))
	require.NoError(t, v.end())
	followed, begun := world.now()
	require.Zero(t, followed, "the watches end with the server")
	require.Equal(t, 1, begun)
	require.Empty(t, s.streams)
}

// TestViewings: watching begins with the first who looks, and ends some time after the last.
func TestViewings(t *testing.T) {
	c := newCluster()
	v := newViewings(c)
	v.linger = time.Hour
	shop, ann := model.AppID{Tenant: "acme", Name: "shop"}, runtime.Person{Name: "ann", Groups: []string{"web"}}
	enter := func(app model.AppID, of runtime.Person) func() {
		t.Helper()
		_, leave, err := v.enter(app, of)
		require.NoError(t, err)
		return leave
	}
	expect := func(followed, begun int) {
		t.Helper()
		f, b := c.now()
		require.Equal(t, []int{followed, begun}, []int{f, b})
	}
	first, second := enter(shop, ann), enter(shop, ann)
	expect(1, 1)
	first()
	first()
	second()
	expect(1, 1)
	third := enter(shop, ann)
	expect(1, 1) // it went on meanwhile
	other := enter(shop, runtime.Person{Name: "ann"})
	expect(2, 2) // another group may see something else
	_, _, err := v.enter(shop, runtime.Person{Name: "eve"})
	require.ErrorContains(t, err, "nothing to eve")

	v.linger = 0
	third()
	require.Eventually(t, func() bool { f, _ := c.now(); return f == 1 }, time.Minute, time.Millisecond)
	v.most, v.linger = 1, time.Hour
	_, _, err = v.enter(shop, ann)
	require.ErrorContains(t, err, "1 applications already")
	other()
	enter(shop, ann) // in place of the one that nobody looks at
	require.Eventually(t, func() bool { f, _ := c.now(); return f == 1 }, time.Minute, time.Millisecond)
	v.close()
	expect(0, 3)
	_, _, err = v.enter(shop, ann)
	require.Error(t, err)
}

// get opens an answer that goes on.
func (v *served) get(path string) *http.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+"/api/v1/"+path, nil)
	require.NoError(v.t, err)
	r.AddCookie(v.cookie)
	w, err := v.http.Do(r)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { w.Body.Close() })
	return w
}

// TestLogs: hostile lines come as text that steers nothing, cut; a log that ends says so.
func TestLogs(t *testing.T) {
	s, world := serveCluster(t)
	v := serve(t, s, listen(t), nil)
	world.log = func() io.ReadCloser {
		return io.NopCloser(strings.NewReader("2026-03-01T12:00:00.5Z \x1b[31mred\x1b[0m <script>alert(1)</script>\r\n" +
			"no time\x00\u202e\x1b]0;title\x07 here\n" + strings.Repeat("x", 1<<20) + "\n2026-03-01T12:00:01Z   two  spaces\nlast"))
	}
	w := v.get(shopLive + "/logs?pod=web&container=c")
	said := events(t, w, 10)
	require.JSONEq(t, `{"why":"the container wrote no more"}`, said[len(said)-1])
	var lines []logLine
	for _, data := range said[:len(said)-1] {
		require.NotContains(t, data, "<")
		var some []logLine
		require.NoError(t, json.Unmarshal([]byte(data), &some))
		lines = append(lines, some...)
	}
	require.Len(t, lines, 5)
	require.Equal(t, logLine{"2026-03-01T12:00:00.5Z", "red <script>alert(1)</script>"}, lines[0])
	require.Equal(t, logLine{"", "no time   here"}, lines[1])
	require.Len(t, lines[2].Text, maxLine)
	require.True(t, strings.HasSuffix(lines[2].Text, "…"))
	require.Equal(t, logLine{"2026-03-01T12:00:01Z", "  two  spaces"}, lines[3])
	require.Equal(t, logLine{"", "last"}, lines[4])

	world.log = func() io.ReadCloser { return io.NopCloser(iotest.ErrReader(errors.New("the node is gone"))) }
	require.JSONEq(t, `{"why":"the node is gone"}`, events(t, v.get(shopLive+"/logs?pod=web&container=c"), 1)[0])
	require.NoError(t, v.end())
}

// TestManyLogs: a person reads only so many at a time; each that is closed makes room, and nothing goes on after the server.
func TestManyLogs(t *testing.T) {
	s, world := serveCluster(t)
	v := serve(t, s, listen(t), nil)
	world.log = func() io.ReadCloser { r, _ := io.Pipe(); return r } // nobody writes
	var open []*http.Response
	for range mostLogs {
		w := v.get(shopLive + "/logs?pod=web&container=c")
		require.Equal(t, http.StatusOK, w.StatusCode)
		open = append(open, w)
	}
	require.Equal(t, http.StatusTooManyRequests, v.get(shopLive+"/logs?pod=web&container=c").StatusCode)
	open[0].Body.Close()
	require.Eventually(t, func() bool {
		leave, ok := s.readers.enter("")
		if ok {
			leave()
		}
		return ok
	}, time.Minute, time.Millisecond)
	require.Equal(t, http.StatusOK, v.get(shopLive+"/logs?pod=web&container=c").StatusCode)
	require.NoError(t, v.end())
	require.Empty(t, s.readers.open)
}

// endless is a log that never pauses.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	e.read += len(b)
	return copy(b, strings.Repeat("a line\n", len(b)/7+1)), nil
}

// TestLogsArePaced: of a program that writes without end only so much is read.
func TestLogsArePaced(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	e := &endless{}
	batches := make(chan []logLine)
	go func() {
		for range batches {
		}
	}()
	require.Error(t, readLog(ctx, e, batches))
	close(batches)
	require.LessOrEqual(t, e.read, logRate+logRate/2, "a second is not over")
}

// TestEscapes: a sequence that does not end takes the rest of the line, and no more.
func TestEscapes(t *testing.T) {
	for in, out := range map[string]string{
		"plain": "plain", "a\x1b[1;31mb\x1b[0mc": "abc", "a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\": "alink", "a\x1bMb": "ab", "a\x1b": "a", "a\x1b[31": "a", "a\x1b]0;t": "a",
	} {
		require.Equal(t, out, withoutEscapes(in), "%q", in)
	}
}

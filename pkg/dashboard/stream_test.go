package dashboard

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/tier"
)

// served is a server that answers on a listener until the test ends it.
type served struct {
	*Server
	t      *testing.T
	base   string
	cookie *http.Cookie
	http   *http.Client
	end    func() error // ends the server and waits for it
}

func serve(t *testing.T, s *Server, l net.Listener, dial func(context.Context, string, string) (net.Conn, error)) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	v := &served{Server: s, t: t, base: "http://" + l.Addr().String(), http: &http.Client{Transport: &http.Transport{DialContext: dial}}}
	v.end = func() error {
		stop()
		return <-ended
	}
	t.Cleanup(func() { stop() })
	w, err := v.http.Post(v.base+"/api/v1/session", "application/json", strings.NewReader(`{"token":"the-token"}`))
	require.NoError(t, err)
	w.Body.Close()
	require.Equal(t, http.StatusNoContent, w.StatusCode)
	v.cookie = w.Cookies()[0]
	return v
}

func listen(t *testing.T) net.Listener {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return l
}

// stream opens a stream.
func (v *served) stream(headers ...string) *http.Response {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.base+"/api/v1/stream", nil)
	require.NoError(v.t, err)
	r.AddCookie(v.cookie)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w, err := v.http.Do(r)
	require.NoError(v.t, err)
	v.t.Cleanup(func() { w.Body.Close() })
	return w
}

// events returns the next n data lines of a stream.
func events(t *testing.T, w *http.Response, n int) (list []string) {
	t.Helper()
	require.Equal(t, "text/event-stream", w.Header.Get("Content-Type"))
	for lines := bufio.NewScanner(w.Body); len(list) < n && lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			list = append(list, data)
		}
	}
	return list
}

func tip(n byte) string { return `{"commit":"` + commit(n) + `"}` }

// TestStream: each new commit is one event, and a stream that broke goes on where it ended.
func TestStream(t *testing.T) {
	b := &memory{moments: []Moment{small(0, "")}}
	s, _ := newServer(t, b, nil)
	s.pace.between = time.Millisecond
	v := serve(t, s, listen(t), nil)
	w := v.stream()
	require.Equal(t, []string{tip(0)}, events(t, w, 1))
	b.push(small(1, ""))
	s.follower.look(t.Context())
	require.Equal(t, []string{tip(1)}, events(t, w, 1))

	known := v.stream("Last-Event-ID", commit(1))
	require.Equal(t, []string{tip(1)}, events(t, v.stream("Last-Event-ID", commit(0)), 1), "it missed one")
	b.push(small(2, ""))
	s.follower.look(t.Context())
	require.Equal(t, []string{tip(2)}, events(t, known, 1), "it knew the one before")
	require.NoError(t, v.end())
}

// TestStreamTellsOfCommits: each commit of the clone is one event, too, and one that cannot be read is none.
func TestStreamTellsOfCommits(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	head := ""
	s.follower.head = func(context.Context) string { return head }
	s.pace.between = time.Millisecond
	v := serve(t, s, listen(t), nil)
	w := v.stream()
	require.Equal(t, []string{tip(0)}, events(t, w, 1))
	for _, head = range []string{"one", "", "two"} {
		if s.follower.look(t.Context()); head != "" {
			require.Equal(t, []string{`{"commit":"` + commit(0) + `","base":"` + head + `"}`}, events(t, w, 1))
		}
	}
	require.NoError(t, v.end())
}

// TestStreamIsSlow: between two events lies some time, and the last commit is not lost.
func TestStreamIsSlow(t *testing.T) {
	b := &memory{moments: []Moment{small(0, "")}}
	s, _ := newServer(t, b, nil)
	s.pace.between = time.Hour
	v := serve(t, s, listen(t), nil)
	w := v.stream()
	require.Equal(t, []string{tip(0)}, events(t, w, 1))
	for n := range byte(3) {
		b.push(small(n+1, ""))
		s.follower.look(t.Context())
	}
	require.NoError(t, v.end(), "it ends although an event waits")
	require.Empty(t, events(t, w, 1))
}

// TestManyStreams: some are served, all others are told so, and each that ends makes room.
func TestManyStreams(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	v := serve(t, s, listen(t), nil)
	var open []*http.Response
	full := 0
	many := tier.Count(100, 2_000, 10_000)
	for range many {
		w := v.stream()
		if w.StatusCode == http.StatusTooManyRequests {
			full++
			_, _ = io.Copy(io.Discard, w.Body) // the connection is used again
			w.Body.Close()
			continue
		}
		require.Equal(t, http.StatusOK, w.StatusCode)
		open = append(open, w)
	}
	require.Len(t, open, s.pace.most)
	require.Equal(t, many-s.pace.most, full)
	open[0].Body.Close()
	require.Eventually(t, func() bool { return len(s.streams) < s.pace.most }, time.Minute, time.Millisecond)
	require.Equal(t, http.StatusOK, v.stream().StatusCode)
	require.NoError(t, v.end())
	require.Empty(t, s.streams)
}

// TestStreamsOfOnePerson: who opens all that they can takes none from others.
func TestStreamsOfOnePerson(t *testing.T) {
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"*"}}
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	s.Gate = asks{}
	v := &served{Server: s, t: t, http: &http.Client{Transport: &http.Transport{}}, cookie: &http.Cookie{Name: "none"}}
	l := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	v.base = "http://" + l.Addr().String()
	for n := range 3 * s.pace.most {
		want := http.StatusOK
		if n >= s.pace.most {
			want = http.StatusTooManyRequests
		}
		require.Equal(t, want, v.stream("Test-User", "eve").StatusCode, n)
	}
	require.Equal(t, http.StatusOK, v.stream("Test-User", "ada").StatusCode)
	stop()
	require.NoError(t, <-ended)
}

// TestSlowClients: a client that sends its headers or its body byte by byte loses its connection, and others are answered meanwhile.
func TestSlowClients(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.headerIn, s.bodyIn = 50*time.Millisecond, 100*time.Millisecond
	v := serve(t, s, listen(t), nil)
	address := strings.TrimPrefix(v.base, "http://")
	for name, begins := range map[string]string{
		"no request":    "",
		"half a header": "GET /api/v1/fleet HTTP/1.1\r\nHost: " + address + "\r\nX-Mu",
		"half a body":   "POST /api/v1/session HTTP/1.1\r\nHost: " + address + "\r\nContent-Length: 100\r\n\r\n{\"token",
	} {
		c, err := net.Dial("tcp", address)
		require.NoError(t, err)
		defer c.Close()
		_, err = c.Write([]byte(begins))
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, v.stream().StatusCode)
		require.NoError(t, c.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err = io.ReadAll(c)
		require.NoError(t, err, "%s: it is closed", name)
	}
	require.NoError(t, v.end())
}

// pipes is a network without buffers.
type pipes struct {
	conns chan net.Conn
	done  chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.done)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8421} }

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	p.conns <- there
	return here, nil
}

// TestSlowReaders: a client that does not read loses its stream.
func TestSlowReaders(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.pace.alive, s.pace.patience = time.Millisecond, 10*time.Millisecond
	network := &pipes{conns: make(chan net.Conn, 10), done: make(chan struct{})}
	v := serve(t, s, network, network.dial)
	c, _ := network.dial(t.Context(), "", "")
	defer c.Close()
	go func() {
		r, _ := http.NewRequest(http.MethodGet, v.base+"/api/v1/stream", nil)
		r.AddCookie(v.cookie)
		_ = r.Write(c) // and never reads
	}()
	require.Eventually(t, func() bool { return len(s.streams) == 1 }, time.Minute, time.Microsecond)
	require.Eventually(t, func() bool { return len(s.streams) == 0 }, time.Minute, time.Millisecond)
	require.NoError(t, v.end())
}

// TestLargeHeaders: they are refused before anything is read of them.
func TestLargeHeaders(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	v := serve(t, s, listen(t), nil)
	r, err := http.NewRequest(http.MethodGet, v.base+"/api/v1/fleet", nil)
	require.NoError(t, err)
	r.Header.Set("X-Much", strings.Repeat("a", 2*maxHeader))
	w, err := v.http.Do(r)
	require.NoError(t, err)
	w.Body.Close()
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, w.StatusCode)
	require.NoError(t, v.end())
}

// TestEnd: nothing goes on after the server ended: no stream, no question, no look at the branch.
func TestEnd(t *testing.T) {
	h := newHeld()
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, h)
	v := serve(t, s, listen(t), nil)
	w := v.stream()
	require.Equal(t, []string{tip(0)}, events(t, w, 1))
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		r, _ := http.NewRequest(http.MethodPost, v.base+"/api/v1/what-if", strings.NewReader(ask1))
		r.AddCookie(v.cookie)
		if w, err := v.http.Do(r); err == nil {
			w.Body.Close()
		}
	}()
	<-h.begun
	ended := make(chan error, 1)
	go func() { ended <- v.end() }()
	<-answered // the browser is let go at once
	select {
	case <-ended:
		t.Fatal("a question still computes")
	default:
	}
	h.proceed <- struct{}{}
	require.NoError(t, <-ended)
	require.Empty(t, events(t, w, 1))
	require.Empty(t, s.streams)
	require.Empty(t, s.workers.places)
}

// TestConnections: only so many are open at a time, and the next one waits.
func TestConnections(t *testing.T) {
	l := limited(listen(t), 1, 0)
	defer l.Close()
	var accepted = make(chan net.Conn)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				close(accepted)
				return
			}
			accepted <- c
		}
	}()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", l.Addr().String())
		require.NoError(t, err)
		return c
	}
	defer dial().Close()
	first := <-accepted
	defer dial().Close()
	select {
	case <-accepted:
		t.Fatal("the first connection is still open")
	default:
	}
	require.NoError(t, first.Close())
	_ = first.Close() // twice is once
	second := <-accepted
	require.NoError(t, l.Close())
	_, open := <-accepted
	require.False(t, open)
	require.NoError(t, second.Close())
}

// from is a connection of an address.
type from struct {
	net.Conn
	address net.Addr
}

func (f from) RemoteAddr() net.Addr { return f.address }

// TestConnectionsOfOneAddress: an address has a part of all connections, so slow clients and streams of it leave places for others. What it opens
// beyond that is closed at once, and where it closes one it may open another. A proxy on this machine stands for many.
func TestConnectionsOfOneAddress(t *testing.T) {
	network := &pipes{conns: make(chan net.Conn), done: make(chan struct{})}
	l := limited(network, 100, 2)
	dial := func(address string) (accepted net.Conn) {
		here, there := net.Pipe()
		go func() { network.conns <- from{there, &net.TCPAddr{IP: net.ParseIP(address), Port: 1}} }()
		got := make(chan net.Conn, 1)
		go func() {
			if c, err := l.Accept(); err == nil {
				got <- c
			}
		}()
		closed := make(chan struct{})
		go func() {
			_, _ = here.Read(make([]byte, 1))
			close(closed)
		}()
		select {
		case c := <-got:
			return c
		case <-closed: // the Accept goes on, and takes the next
			_, there := net.Pipe()
			network.conns <- from{there, &net.UnixAddr{Net: "unix"}}
			require.NoError(t, (<-got).Close())
			return nil
		}
	}
	for _, attacker := range []string{"192.0.2.1", "::ffff:192.0.2.2", "2001:db8::1"} {
		first := dial(attacker)
		require.NotNil(t, first)
		require.NotNil(t, dial(attacker))
		for range 10 {
			require.Nil(t, dial(attacker))
		}
		require.NoError(t, first.Close())
		require.NotNil(t, dial(attacker))
	}
	require.Nil(t, dial("2001:db8::2"), "one machine has the whole network")
	require.NotNil(t, dial("2001:db8:0:1::2"))
	require.NotNil(t, dial("192.0.2.3"), "others have places")
	for range 5 {
		require.NotNil(t, dial("127.0.0.1"))
	}
	require.NoError(t, l.Close())
}

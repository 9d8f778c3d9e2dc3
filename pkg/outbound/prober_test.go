package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestProbe(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bad":
			w.WriteHeader(http.StatusTeapot)
		case "/moved":
			http.Redirect(w, r, "/", http.StatusFound)
		}
	})
	at := s.Listener.Addr().String()
	p, hosts := NewProber(Reach{}), []string{"127.0.0.1"}
	require.NoError(t, p.Probe(t.Context(), "tcp://"+at, hosts))
	require.Empty(t, s.seen(), "a connection only")
	require.NoError(t, p.Probe(t.Context(), "http://"+at+"/a", hosts))
	require.EqualError(t, p.Probe(t.Context(), "http://"+at+"/bad", hosts), "it answers 418")
	require.EqualError(t, p.Probe(t.Context(), "http://"+at+"/moved", hosts), "it answers 302, which leads elsewhere")
	require.Len(t, s.seen(), 3, "redirects are not followed")
	require.Equal(t, "d-aros", s.seen()[0].Header.Get("User-Agent"))
	s.Close()
	require.EqualError(t, p.Probe(t.Context(), "tcp://"+at, hosts), "connect: connection refused")
	require.EqualError(t, p.Probe(t.Context(), "http://"+at, hosts), "connect: connection refused")
}

// What runs elsewhere is never inside: however an address is written, and whatever its name resolves
// to, no connection is made to this machine, to link-local addresses or to the API server.
func TestAttack04ExternalReachesNothingInside(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	connected := make(chan struct{}, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			connected <- struct{}{}
			c.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).Port
	at := netip.MustParseAddrPort(l.Addr().String())
	anywhere := []string{"localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "169.254.169.254", "evil.example", "*.example.com"}
	for _, reach := range []Reach{{}, {Internal: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}} {
		p := NewProber(reach)
		for _, host := range []string{
			"localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::ffff:7f00:1]", "[::1]", "127.0.0.1",
			"localhost.", "user@localhost", "example.com@127.1", "a.example.com@localhost", "evil.example#localhost", "169.254.169.254", "localhost%00.example.com",
		} {
			for _, scheme := range []string{"tcp", "http", "https", "TCP", "file", "unix"} {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				require.Error(t, p.Probe(ctx, fmt.Sprintf("%s://%s:%d", scheme, host, port), anywhere), "%s://%s", scheme, host)
				cancel()
			}
		}
	}
	for _, scheme := range []string{"tcp", "http"} {
		err := NewProber(Reach{Never: []netip.AddrPort{at}}).Probe(t.Context(), scheme+"://"+at.String(), []string{"127.0.0.1"})
		require.ErrorContains(t, err, "the API server, which no application may contact")
	}
	require.Empty(t, connected)
	require.Error(t, NewProber(Reach{}).Probe(t.Context(), "tcp://127.0.0.1", []string{"127.0.0.1"}), "a port is missing")
}

// A server that never ends its answer, its headers or its handshake is not waited for.
func TestAttack05ExternalWithoutEnd(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/body":
			fmt.Fprint(w, "a")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		case "/never":
			<-r.Context().Done()
		}
	})
	p, hosts := NewProber(Reach{}), []string{"127.0.0.1"}
	require.NoError(t, p.Probe(t.Context(), s.URL+"/body", hosts), "its status is known, and nobody reads further")
	require.Error(t, p.Probe(t.Context(), s.URL+"/header", hosts))
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.EqualError(t, p.Probe(ctx, s.URL+"/never", hosts), "no answer in time")
	require.Error(t, p.Probe(ctx, strings.Replace(s.URL, "http:", "https:", 1), hosts))
}

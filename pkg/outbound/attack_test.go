package outbound

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/workflow"
)

// However an address inside is written, and whatever a name resolves to, nothing
// inside hears of it.
func TestAttackNothingInsideIsCalled(t *testing.T) {
	s := receive(t, nil)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, host := range []string{
		"localhost",         // a name that leads inside, which policy allows
		"2130706433",        // 127.0.0.1 in decimal
		"0x7f000001",        // in hexadecimal
		"0177.0.0.1",        // in octal
		"127.1",             // in short
		"[::ffff:7f00:1]",   // as an IPv6 address
		"[::1]",             // that of this machine
		"127.0.0.1",         // as such, but policy speaks of names
		"user@localhost",    // with a user
		"localhost.",        // with a dot at the end
		"169.254.169.254",   // what clouds tell about their machines
		"example.com@127.1", // behind a user
	} {
		task := probeOf("a", "http://"+host+port+"/")
		task.Egress = []string{"localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "*.example.com"}
		task.Intent.Deadline = time.Now().Add(2 * time.Second) // some names are looked up
		r := one(t, Options{}, task)
		require.False(t, r.OK, host)
		require.Contains(t, []string{ClassRefused, ClassUnreachable, workflow.ClassTimeout}, r.Class, "%s: %s", host, r.Message)

		task.Intent.Notice, task.Intent.Probe = &workflow.Notice{URL: task.Intent.Probe.URL, Event: "e"}, nil
		require.False(t, one(t, Options{}, task).OK, host)
	}
	require.Empty(t, s.seen())

	task := probeOf("a", "http://localhost"+port+"/")
	task.Egress = []string{"localhost"}
	require.Contains(t, one(t, Options{}, task).Message, "which is not outside; policy may allow that address as such")
	everything := Reach{Internal: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}}
	require.Contains(t, one(t, Options{Reach: everything}, task).Message, "which is not outside", "no setting opens this machine to a name")

	task = probeOf("a", s.URL+"/")
	at := netip.MustParseAddrPort(strings.TrimPrefix(s.URL, "http://"))
	require.Contains(t, one(t, Options{Reach: Reach{Never: []netip.AddrPort{at}}}, task).Message, "the API server, which no application may contact")
	require.True(t, one(t, Options{}, task).OK, "policy names the address")
}

func TestReach(t *testing.T) {
	reach := Reach{
		Internal: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("169.254.0.0/16"), netip.MustParsePrefix("fd00::/8")},
		Never:    []netip.AddrPort{netip.MustParseAddrPort("10.96.0.1:443")},
	}
	for _, c := range []struct {
		address string
		named   bool // by policy
		reached bool
	}{
		{"8.8.8.8:443", false, true},
		{"10.1.2.3:80", false, true},
		{"[::ffff:10.1.2.3]:80", false, true},
		{"[fd00::1]:80", false, true},
		{"192.168.1.1:80", false, false},
		{"192.168.1.1:80", true, true},
		{"127.0.0.1:80", false, false},
		{"127.0.0.1:80", true, true},
		{"169.254.169.254:80", false, false},
		{"169.254.169.254:80", true, false},
		{"[::ffff:169.254.169.254]:80", true, false},
		{"[fe80::1%eth0]:80", true, false},
		{"10.96.0.1:443", false, false},
		{"10.96.0.1:443", true, false},
		{"[::ffff:10.96.0.1]:443", true, false},
		{"10.96.0.1:444", false, true},
	} {
		require.Equal(t, c.reached, reach.check("tcp4", c.address, c.named) == nil, "%s, named %v", c.address, c.named)
	}
	require.Error(t, reach.check("udp4", "8.8.8.8:443", true))
}

func TestInside(t *testing.T) {
	for _, a := range []string{
		"0.0.0.0", "127.0.0.1", "127.255.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.100.100.200", "224.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::7f00:1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "ff02::1", "fec0::1",
	} {
		require.True(t, inside(netip.MustParseAddr(a)), a)
	}
	for _, a := range []string{"8.8.8.8", "::ffff:8.8.8.8", "2606:4700::1111", "172.32.0.1", "100.128.0.1"} {
		require.False(t, inside(netip.MustParseAddr(a)), a)
	}
}

func TestDestination(t *testing.T) {
	hosts := []string{"hooks.example.com", "*.acme.test", "10.0.0.5"}
	for _, good := range []string{"https://hooks.example.com", "https://hooks.example.com:8443/a?b", "HTTPS://HOOKS.example.com/", "http://a.b.acme.test/", "http://10.0.0.5/"} {
		_, err := destination(good, hosts)
		require.NoError(t, err, good)
	}
	for _, bad := range []string{
		"https://acme.test/", "https://evilacme.test/", "https://hooks.example.com.evil.test/", "https://evil.test/hooks.example.com", "https://evil.test#hooks.example.com",
		"https://evil.test\\.acme.test/", "ftp://hooks.example.com/", "file:///etc/passwd", "gopher://hooks.example.com/", "https:hooks.example.com", "//hooks.example.com", "https://ann:pw@hooks.example.com/",
		"https://hooks.example.com@evil.test/", "http://10.0.0.50/", "http://.acme.test/", "http://%68ooks.example.com%2eevil.test/", "https://hooks.example.com\r\nHost: evil.test/", "http://10.0.5/", "", "https://",
	} {
		u, err := destination(bad, hosts)
		require.Error(t, err, "%s: %v", bad, u)
		require.NotContains(t, err.Error(), "pw@")
	}
}

func TestWithin(t *testing.T) {
	for _, c := range []struct{ hosts, policy, left string }{
		{"a.test", "a.test", "a.test"},
		{"a.test b.test", "b.test c.test", "b.test"},
		{"x.a.test *.b.test", "*.a.test *.x.b.test y.b.test", "x.a.test *.x.b.test y.b.test"},
		{"*.a.test", "*.a.test", "*.a.test"},
		{"*.a.test", "a.test", ""},
		{"*.test", "", ""},
		{"", "*.test", ""},
	} {
		require.Equal(t, strings.Fields(c.left), append([]string{}, Within(strings.Fields(c.hosts), strings.Fields(c.policy))...), "%s within %s", c.hosts, c.policy)
	}
}

// A redirect to another host is an answer, not a way there; on one host it is
// followed, for questions only and not for ever.
func TestAttackRedirect(t *testing.T) {
	other := receive(t, nil)
	to := strings.Replace(other.URL, "127.0.0.1", "localhost", 1)
	s := receive(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/out":
			http.Redirect(w, r, to, http.StatusFound)
		case "/scheme":
			http.Redirect(w, r, "file:///etc/passwd", http.StatusFound)
		case "/in":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		}
	})
	require.Equal(t, 302, one(t, Options{}, probeOf("a", s.URL+"/out")).Status)
	require.Equal(t, 302, one(t, Options{}, probeOf("a", s.URL+"/scheme")).Status)
	require.Equal(t, 200, one(t, Options{}, probeOf("a", s.URL+"/in")).Status)
	before := len(s.seen())
	require.Equal(t, 302, one(t, Options{}, probeOf("a", s.URL+"/loop")).Status)
	require.Len(t, s.seen(), before+1+redirects)
	require.Equal(t, 302, one(t, Options{}, noticeOf("a", s.URL+"/in", "")).Status, "a message is not sent on")
	require.Empty(t, other.seen())
}

// Of a huge answer its beginning counts; one that does not come to its end, or
// never begins, ends at the limit.
func TestAttackAnswersWithoutEnd(t *testing.T) {
	s := receive(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/huge":
			block := strings.Repeat("x", 1<<20)
			for r.Context().Err() == nil {
				if _, err := w.Write([]byte(block)); err != nil {
					return
				}
			}
		case "/slow":
			fmt.Fprint(w, "a")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		case "/header":
			w.Header().Set("X", strings.Repeat("x", 1<<20))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "not unpacked")
		}
	})
	r := one(t, Options{}, probeOf("a", s.URL+"/huge"))
	require.True(t, r.OK)
	require.Len(t, r.Body, maxBody)
	require.Equal(t, ClassUnreachable, one(t, Options{}, probeOf("a", s.URL+"/header")).Class)
	require.Equal(t, "not unpacked", one(t, Options{}, probeOf("a", s.URL+"/bomb")).Body)

	d := open(t, Options{})
	d.client.Timeout = 100 * time.Millisecond
	d.Do([]Task{probeOf("a", s.URL+"/slow")})
	require.Equal(t, workflow.ClassTimeout, finish(t, d, 1)[0].Class)
}

// What a tenant or a receiver writes does not become a header, a line of a log or a
// request to somebody else.
func TestAttackText(t *testing.T) {
	s := receive(t, nil)
	task := noticeOf("a", s.URL, "")
	task.Intent.Notice.Event = "e\r\nX-Evil: 1"
	r := one(t, Options{}, task)
	require.False(t, r.OK)
	require.NotContains(t, r.Message, "\n")

	task = probeOf("a", s.URL)
	task.Intent.Probe = &workflow.Probe{Prometheus: s.URL, Query: "x&timeout=1h#\r\nX-Evil: 1"}
	one(t, Options{}, task)
	require.Equal(t, url.Values{"query": {"x&timeout=1h#\r\nX-Evil: 1"}}, s.seen()[0].URL.Query())
	require.Empty(t, s.seen()[0].Header.Get("X-Evil"))
}

// The environment of the reconciler leads nowhere.
func TestAttackProxy(t *testing.T) {
	proxy, s := receive(t, nil), receive(t, nil)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	require.True(t, one(t, Options{}, probeOf("a", s.URL)).OK)
	require.Empty(t, proxy.seen())
	require.Nil(t, newClient(Reach{}).Transport.(*http.Transport).Proxy)
}

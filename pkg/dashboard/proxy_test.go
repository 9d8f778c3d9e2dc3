package dashboard

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"math/big"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// proxied serves a dashboard that believes a proxy.
func proxied(t *testing.T, l net.Listener, config *tls.Config) {
	t.Helper()
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"user:ada", "group:ops"}}
	s, err := New(Options{
		Branch: &memory{moments: []Moment{m}}, Pages: frontEnd, Interval: time.Hour, Now: time.Now, Gate: Proxy{"X-Forwarded-User", "X-Forwarded-Groups"},
		Hosts: []string{"fleet.example.com"}, TLS: config,
	})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-ended) })
}

// asked sends a request with pairs of headers.
func asked(t *testing.T, c *http.Client, address string, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/api/v1/meta", nil)
	require.NoError(t, err)
	r.Host = "fleet.example.com"
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Add(headers[i], headers[i+1])
	}
	w, err := c.Do(r)
	require.NoError(t, err)
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	require.NoError(t, err)
	return w.StatusCode, string(body)
}

func TestProxyThroughASocketIsBelieved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ui.sock")
	l, err := net.Listen("unix", path)
	require.NoError(t, err)
	proxied(t, l, nil)
	c := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}}}
	defer c.CloseIdleConnections()
	code, body := asked(t, c, "http://x", "X-Forwarded-User", "ada")
	require.Equal(t, http.StatusOK, code, body)
	require.Contains(t, body, `"user": "ada"`)
	code, _ = asked(t, c, "http://x", "X-Forwarded-User", "bob", "X-Forwarded-Groups", "web, ops")
	require.Equal(t, http.StatusOK, code)
	for _, refused := range []struct {
		code    int
		says    string
		headers []string
	}{
		{http.StatusUnauthorized, "the proxy does not say who asks", nil},
		{http.StatusForbidden, "bob\\\" may read nothing here", []string{"X-Forwarded-User", "bob"}},
		{http.StatusForbidden, "several headers", []string{"X-Forwarded-User", "bob", "X-Forwarded-User", "ada"}},
		{http.StatusForbidden, "characters that do not show", []string{"X-Forwarded-User", "ada\u200b"}},
		{http.StatusMisdirectedRequest, "answers for", []string{"X-Forwarded-User", "ada", "Host", "evil.example"}},
	} {
		code, body := asked(t, c, "http://x", refused.headers...)
		require.Equal(t, refused.code, code, body)
		require.Contains(t, body, refused.says)
	}
}

// TestForgedProxy: nobody but the proxy says who asks, whatever headers they send.
func TestForgedProxy(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	proxied(t, l, nil)
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	code, body := asked(t, c, "http://"+l.Addr().String(), "X-Forwarded-User", "ada")
	require.Equal(t, http.StatusForbidden, code)
	require.Contains(t, body, "only the proxy may say who asks")

	ours, pool := authority(t)
	theirs, _ := authority(t)
	l, err = net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	proxied(t, l, &tls.Config{Certificates: []tls.Certificate{ours}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven})
	with := func(certificates ...tls.Certificate) *http.Client {
		c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", Certificates: certificates}}}
		t.Cleanup(c.CloseIdleConnections)
		return c
	}
	code, body = asked(t, with(ours), "https://"+l.Addr().String(), "X-Forwarded-User", "ada")
	require.Equal(t, http.StatusOK, code, body)
	code, _ = asked(t, with(), "https://"+l.Addr().String(), "X-Forwarded-User", "ada")
	require.Equal(t, http.StatusForbidden, code)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+l.Addr().String(), nil)
	require.NoError(t, err)
	_, err = with(theirs).Do(r)
	require.ErrorContains(t, err, "unknown certificate authority")
}

// authority returns a certificate that signs itself.
func authority(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "proxy"}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	made, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(made)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

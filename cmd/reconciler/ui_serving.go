package main

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/dashboard"
)

// uiServing is where a dashboard is served, and to whom.
type uiServing struct {
	listen, auth              string
	userHeader, groupsHeader  string
	hosts                     []string
	certFile, keyFile, caFile string
	issuer                    uiIssuer
}

func (u *uiServing) add(fl *pflag.FlagSet) {
	fl.StringVar(&u.listen, "listen", "127.0.0.1:8421", "address of this machine to serve on; with --auth any address, or unix:PATH")
	fl.StringVar(&u.auth, "auth", "token", "who may read: token for whoever has the URL, proxy for whom a reverse proxy signs in, or oidc for whom an issuer of OpenID Connect does")
	fl.StringVar(&u.userHeader, "user-header", "X-Forwarded-User", "with --auth proxy: the header with the name of who asks")
	fl.StringVar(&u.groupsHeader, "groups-header", "X-Forwarded-Groups", "with --auth proxy: the header with their groups, between commas")
	fl.StringSliceVar(&u.hosts, "host", nil, "with --auth: `NAME` under which browsers reach the dashboard, with its port if the URL has one")
	fl.StringVar(&u.certFile, "tls-cert", "", "serve TLS with this certificate")
	fl.StringVar(&u.keyFile, "tls-key", "", "key of --tls-cert")
	fl.StringVar(&u.caFile, "tls-client-ca", "", "with --auth proxy: file with the authorities that sign the proxy's client certificate, and nobody else's")
	u.issuer.add(fl)
}

// complete checks the flags, and says to the dashboard who may read.
func (u *uiServing) complete(o *dashboard.Options) error {
	socket := strings.HasPrefix(u.listen, "unix:")
	switch {
	case (u.certFile == "") != (u.keyFile == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	case u.auth != "token" && u.auth != "proxy" && u.auth != "oidc":
		return fmt.Errorf("--auth %s: write token, proxy or oidc", u.auth)
	case u.auth == "token" && (socket || u.certFile != "" || len(u.hosts) > 0):
		return errors.New("--host, --tls-cert and a socket are for several people; say with --auth who signs them in")
	case u.auth == "token":
		return onThisMachine(u.listen)
	case socket && u.certFile+u.caFile != "":
		return errors.New("--listen unix:PATH is served without TLS; its file mode says who reaches it")
	case u.auth == "proxy" && len(u.hosts) == 0:
		return errors.New("--auth proxy: write with --host under which name browsers reach the dashboard, such as fleet.example.com")
	case u.auth == "proxy" && !socket && (u.certFile == "" || u.caFile == ""):
		return errors.New("--auth proxy: whoever reaches the address could say who they are; listen on unix:PATH, or give --tls-cert, --tls-key and --tls-client-ca")
	case u.auth == "oidc" && u.caFile != "":
		return errors.New("--tls-client-ca is for --auth proxy: with oidc, people sign in")
	case u.auth == "oidc" && !socket && u.certFile == "" && onThisMachine(u.listen) != nil:
		return errors.New("--auth oidc: others could read along what goes over a network; give --tls-cert and --tls-key, or listen on unix:PATH or 127.0.0.1 behind a proxy with TLS")
	}
	for _, host := range u.hosts {
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	}
	if u.auth == "oidc" {
		host, err := u.issuer.open(o, u.hosts)
		if err != nil {
			return fmt.Errorf("--auth oidc: %w", err)
		}
		u.hosts, o.Hosts = append(u.hosts, host), append(o.Hosts, strings.ToLower(host))
	} else {
		o.Gate = dashboard.Proxy{User: http.CanonicalHeaderKey(u.userHeader), Groups: http.CanonicalHeaderKey(u.groupsHeader)}
	}
	if u.certFile == "" {
		return nil
	}
	return u.encrypt(o)
}

// encrypt has the dashboard serve TLS. With an authority, clients need a certificate of it.
func (u *uiServing) encrypt(o *dashboard.Options) error {
	pair, err := tls.LoadX509KeyPair(u.certFile, u.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	if u.caFile == "" {
		return nil
	}
	o.TLS.ClientCAs, o.TLS.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	pem, err := os.ReadFile(u.caFile)
	if err == nil && !o.TLS.ClientCAs.AppendCertsFromPEM(pem) {
		err = fmt.Errorf("%s has no certificate", u.caFile)
	}
	if err != nil {
		return fmt.Errorf("--tls-client-ca: %w", err)
	}
	return nil
}

// open listens, and returns what to tell people. Only the group of a socket's file reaches it.
func (u *uiServing) open(token string) (l net.Listener, said string, err error) {
	network := "tcp"
	path, socket := strings.CutPrefix(u.listen, "unix:")
	if socket {
		network = "unix"
		if left(path) {
			err = os.Remove(path)
		}
	}
	if err == nil {
		l, err = net.Listen(network, path)
	}
	if err == nil && socket {
		err = os.Chmod(path, 0o660)
	}
	if err != nil {
		if l != nil {
			l.Close()
		}
		return nil, "", fmt.Errorf("serve the dashboard: %w; choose another address with --listen", err)
	}
	if u.auth == "token" {
		return l, fmt.Sprintf("http://%s/#token=%s", l.Addr(), token), nil
	}
	if u.auth == "oidc" {
		return l, fmt.Sprintf("%s where people sign in at %s", u.issuer.url, u.issuer.issuer), nil
	}
	return l, fmt.Sprintf("https://%s/ through the proxy, which reaches it at %s", u.hosts[0], u.listen), nil
}

// left reports whether a path is a socket that a program left behind which was killed.
func left(path string) bool {
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != os.ModeSocket {
		return false
	}
	c, err := net.Dial("unix", path)
	if err == nil {
		c.Close()
	}
	return err != nil
}

// onThisMachine refuses an address that other machines reach.
func onThisMachine(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("--listen %s: write HOST:PORT, such as 127.0.0.1:8421", address)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("--listen %s: whoever has the token reads everything, so it serves people on this machine only; write 127.0.0.1, ::1 or localhost and reach it from elsewhere through \"ssh -L\", or let several people sign in with --auth", address)
	}
	return nil
}

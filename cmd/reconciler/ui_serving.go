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
}

func (u *uiServing) add(fl *pflag.FlagSet) {
	fl.StringVar(&u.listen, "listen", "127.0.0.1:8421", "address of this machine to serve on; with --auth any address, or unix:PATH")
	fl.StringVar(&u.auth, "auth", "token", "who may read: token for whoever has the URL, or proxy for whom a reverse proxy signs in")
	fl.StringVar(&u.userHeader, "user-header", "X-Forwarded-User", "with --auth proxy: the header with the name of who asks")
	fl.StringVar(&u.groupsHeader, "groups-header", "X-Forwarded-Groups", "with --auth proxy: the header with their groups, between commas")
	fl.StringSliceVar(&u.hosts, "host", nil, "with --auth: `NAME` under which browsers reach the dashboard, with its port if the URL has one")
	fl.StringVar(&u.certFile, "tls-cert", "", "serve TLS with this certificate")
	fl.StringVar(&u.keyFile, "tls-key", "", "key of --tls-cert")
	fl.StringVar(&u.caFile, "tls-client-ca", "", "with --auth proxy: file with the authorities that sign the proxy's client certificate, and nobody else's")
}

// complete checks the flags, and says to the dashboard who may read.
func (u *uiServing) complete(o *dashboard.Options) error {
	socket := strings.HasPrefix(u.listen, "unix:")
	switch {
	case u.auth != "token" && u.auth != "proxy":
		return fmt.Errorf("--auth %s: write token or proxy", u.auth)
	case (u.certFile == "") != (u.keyFile == ""):
		return errors.New("--tls-cert and --tls-key belong together")
	case u.auth == "token" && (socket || u.certFile != "" || len(u.hosts) > 0):
		return errors.New("--host, --tls-cert and a socket are for several people; say with --auth who signs them in")
	case u.auth == "token":
		return onThisMachine(u.listen)
	case len(u.hosts) == 0:
		return errors.New("--auth proxy: write with --host under which name browsers reach the dashboard, such as fleet.example.com")
	case !socket && (u.certFile == "" || u.caFile == ""):
		return errors.New("--auth proxy: whoever reaches the address could say who they are; listen on unix:PATH, or give --tls-cert, --tls-key and --tls-client-ca")
	case socket && u.certFile+u.caFile != "":
		return errors.New("--listen unix:PATH is served without TLS; its file mode says who reaches it")
	}
	for _, host := range u.hosts {
		o.Hosts = append(o.Hosts, strings.ToLower(host))
	}
	o.Gate = dashboard.Proxy{User: http.CanonicalHeaderKey(u.userHeader), Groups: http.CanonicalHeaderKey(u.groupsHeader)}
	if socket {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(u.certFile, u.keyFile)
	if err != nil {
		return fmt.Errorf("--tls-cert: %w", err)
	}
	o.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: x509.NewCertPool(), ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS13}
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
	path, socket := strings.CutPrefix(u.listen, "unix:")
	switch {
	case !socket:
		l, err = net.Listen("tcp", u.listen)
	case left(path):
		err = os.Remove(path)
		fallthrough
	default:
		if err == nil {
			l, err = net.Listen("unix", path)
		}
		if err == nil {
			err = os.Chmod(path, 0o660)
		}
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

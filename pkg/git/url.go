package git

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/d-aros/d-aros/pkg/text"
)

// maxURL bounds the length of a repository URL.
const maxURL = 2048

// scpLike is user@host:path, the short form of an ssh URL.
var scpLike = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*)@([A-Za-z0-9][A-Za-z0-9.-]*):([^:]+)$`)

// address is a validated repository URL without credentials.
type address struct {
	scheme string // https, http, ssh or file
	user   string
	host   string // with port
	path   string
}

// parseURL accepts https, ssh (also user@host:path) and local repositories
// (file:///path, or a path). Plain http is for this machine only. Anything that
// could name a program, an option or a second line is refused; errors never
// repeat the URL, which may hold a credential.
func parseURL(s string) (address, error) {
	switch {
	case s == "":
		return address{}, errors.New("the repository URL is empty")
	case len(s) > maxURL:
		return address{}, fmt.Errorf("the repository URL is longer than %d characters", maxURL)
	case !text.Valid(s):
		return address{}, errors.New("the repository URL contains a character that does not show")
	case strings.HasPrefix(s, "-"):
		return address{}, errors.New("the repository URL starts with a dash")
	case strings.Contains(s, "::"):
		return address{}, errors.New("the repository URL names a transport program; use https, ssh or a local path")
	}
	if m := scpLike.FindStringSubmatch(s); m != nil {
		s = "ssh://" + m[1] + "@" + m[2] + "/" + strings.TrimPrefix(m[3], "/")
	}
	if !strings.Contains(s, "://") {
		return localAddress(s)
	}
	u, err := url.Parse(s)
	if err != nil {
		return address{}, errors.New("the repository URL is malformed")
	}
	if _, set := u.User.Password(); set {
		return address{}, errors.New("the repository URL contains a password; give the token in a file or an environment variable instead")
	}
	a := address{scheme: strings.ToLower(u.Scheme), user: u.User.Username(), host: u.Host, path: u.Path}
	if u.RawQuery != "" || u.Fragment != "" {
		return address{}, errors.New("the repository URL has a query or fragment")
	}
	switch a.scheme {
	case "file":
		if a.host != "" && a.host != "localhost" {
			return address{}, errors.New("the repository URL names a file on another host; write file:///path")
		}
		return localAddress(u.Path)
	case "http":
		if ip := net.ParseIP(u.Hostname()); u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return address{}, errors.New("the repository URL uses plain http; use https")
		}
	case "https", "ssh":
	default:
		return address{}, fmt.Errorf("repository URLs of scheme %q are not supported; use https, ssh or a local path", u.Scheme)
	}
	if a.scheme != "ssh" && a.user != "" {
		return address{}, errors.New("the repository URL contains a user; give the user name and token as settings")
	}
	if u.Hostname() == "" || strings.HasPrefix(u.Hostname(), "-") || strings.HasPrefix(a.user, "-") {
		return address{}, errors.New("the repository URL has no valid host")
	}
	if strings.Trim(a.path, "/") == "" || strings.HasPrefix(strings.TrimLeft(a.path, "/"), "-") {
		return address{}, errors.New("the repository URL has no valid path")
	}
	return a, nil
}

func localAddress(path string) (address, error) {
	abs, err := filepath.Abs(path)
	if err != nil || path == "" {
		return address{}, errors.New("the repository path cannot be resolved")
	}
	return address{scheme: "file", path: abs}, nil
}

// String writes the address for people and logs. It holds no credential.
func (a address) String() string {
	if a.scheme == "file" {
		return a.path
	}
	u := url.URL{Scheme: a.scheme, Host: a.host, Path: a.path}
	if a.user != "" {
		u.User = url.User(a.user)
	}
	return u.String()
}

func (a address) endpoint() (*transport.Endpoint, error) {
	if a.scheme == "file" {
		return &transport.Endpoint{Protocol: "file", Path: a.path}, nil
	}
	return transport.NewEndpoint(a.String())
}

package pinned

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// maxCredentials bounds a file with credentials, in bytes.
const maxCredentials = 16 << 10

// login is who asks a host. The zero login is nobody.
type login struct{ user, password string }

// String says nothing of a login, so that nothing prints it.
func (login) String() string { return "a login" }

// hide returns an error of a library or a host without the password, in case it has it.
func (l login) hide(err error) error {
	if err == nil || l.password == "" || !strings.Contains(err.Error(), l.password) {
		return err
	}
	return errors.New(strings.ReplaceAll(err.Error(), l.password, "…"))
}

// authority is the host of a name with its port, "" without one: host_port, because names of the keys of Secrets have no
// colon.
func authority(p model.Pinned) string {
	_, rest, _ := strings.Cut(p.Repository, "://")
	host, _, _ := strings.Cut(strings.ToLower(rest), "/")
	return strings.ReplaceAll(strings.TrimSuffix(host, ":443"), ":", "_")
}

// plainHost is what the name of a file with credentials looks like. It is no path.
var plainHost = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(_[0-9]{1,5})?$`)

// login returns the credentials for the host of a name, read anew, so that they may rotate: those that are the tenant's
// alone, in a file of the host below its directory, or else those for all tenants. It reports whether they are the tenant's.
func (s *Store) login(tenant string, p model.Pinned) (l login, own bool, err error) {
	if s.o.Credentials == "" || !plainHost.MatchString(authority(p)) {
		return login{}, false, nil
	}
	root, err := os.OpenRoot(s.o.Credentials) // a link in it leads nowhere else
	if err != nil {
		return login{}, false, fmt.Errorf("read the credentials of %s: %w", p.Host(), err)
	}
	defer root.Close()
	if tenant != "" && plainHost.MatchString(tenant) {
		if l, err = readLogin(root, path.Join(tenant, authority(p))); !errors.Is(err, fs.ErrNotExist) {
			return l, err == nil, err
		}
	}
	if l, err = readLogin(root, authority(p)); errors.Is(err, fs.ErrNotExist) {
		return login{}, false, nil
	}
	return l, false, err
}

// readLogin reads a file with a token, or with a user and a token: user:token. An error has nothing of what it says.
func readLogin(root *os.Root, name string) (login, error) {
	f, err := root.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || strings.Contains(err.Error(), "not a directory") {
			return login{}, fs.ErrNotExist
		}
		return login{}, fmt.Errorf("read the credentials %s: %w", name, err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxCredentials+1))
	text := strings.TrimSpace(string(b))
	if err != nil || text == "" || len(b) > maxCredentials || strings.ContainsAny(text, "\n\r\x00") {
		return login{}, fmt.Errorf("the file %s with credentials is no single line such as user:token", name)
	}
	if user, password, ok := strings.Cut(text, ":"); ok {
		return login{user, password}, nil
	}
	return login{"git", text}, nil
}

// guarded sends requests by HTTPS only, cuts answers off, and sends credentials to one host: a redirect, or a service of
// tokens elsewhere, gets none.
type guarded struct {
	host string
	over http.RoundTripper
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, errors.New("its host leads to an address that does not begin with https://")
	}
	if strings.TrimSuffix(strings.ToLower(r.URL.Host), ":443") != g.host && (r.Header.Get("Authorization") != "" || r.URL.User != nil) {
		r = r.Clone(r.Context())
		r.Header.Del("Authorization")
		r.URL.User = nil
	}
	answer, err := g.over.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(answer.Body, maxPack), answer.Body}
	return answer, nil
}

// through returns how the host of a name is reached.
func (s *Store) through(p model.Pinned) http.RoundTripper {
	return guarded{strings.ReplaceAll(authority(p), "_", ":"), s.transport}
}

package pinned

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxCredentials bounds a file with credentials, in bytes.
const maxCredentials = 16 << 10

// login is who asks a host. The zero login is nobody.
type login struct {
	user, password string
	tokens         string // the host that gives the tokens of a registry, "": the registry itself
}

// String says nothing of a login, so that nothing prints it.
func (login) String() string { return "a login" }

// hide returns an error of a library or a host without the password, in case it has it, be it as it is sent.
func (l login) hide(err error) error {
	if err == nil || l.password == "" {
		return err
	}
	sent := base64.StdEncoding.EncodeToString([]byte(l.user + ":" + l.password))
	shown := strings.NewReplacer(l.password, "…", sent, "…").Replace(err.Error())
	if shown == err.Error() {
		return err
	}
	return errors.New(shown)
}

// shown makes an error of a library or of the registry fit for people: one line, without the password.
func (l login) shown(err error) error { return errors.New(text.Line(l.hide(err).Error(), 300)) }

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
		if l, err = readLoginOf(root, tenant, p); !errors.Is(err, fs.ErrNotExist) {
			return l, err == nil, err
		}
	}
	if l, err = readLoginOf(root, "", p); errors.Is(err, fs.ErrNotExist) {
		return login{}, false, nil
	}
	return l, false, err
}

// hubNames are those of Docker Hub, which is one registry, and hubTokens is who gives its tokens.
var hubNames = []string{"docker.io", "index.docker.io", "registry-1.docker.io"}

const hubTokens = "auth.docker.io"

// readLoginOf reads the file of a host in a directory. For a registry of Docker Hub a file of any of its names will do: its own first.
func readLoginOf(root *os.Root, dir string, p model.Pinned) (login, error) {
	l, err := readLogin(root, path.Join(dir, authority(p)))
	if !strings.HasPrefix(p.Repository, model.Registry) || !slices.Contains(hubNames, authority(p)) {
		return l, err
	}
	for i := 0; errors.Is(err, fs.ErrNotExist) && i < len(hubNames); i++ {
		l, err = readLogin(root, path.Join(dir, hubNames[i]))
	}
	if err == nil && l.tokens == "" {
		l.tokens = hubTokens
	}
	return l, err
}

// tokenHost is what the second line of a file with credentials looks like: who gives the tokens of the registry.
var tokenHost = regexp.MustCompile(`^https://([a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?)/?$`)

// readLogin reads a file with a token, or with a user and a token: user:token. A second line may name who gives the
// tokens of the registry: https://auth.example.com. An error has nothing of what the file says.
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
	who, rest, more := strings.Cut(strings.TrimSpace(string(b)), "\n")
	l := login{user: "git", password: strings.TrimSpace(who)}
	if err != nil || l.password == "" || len(b) > maxCredentials || strings.ContainsAny(l.password, "\r\x00") {
		return login{}, fmt.Errorf("the file %s with credentials does not begin with a line such as user:token", name)
	}
	if more {
		at := tokenHost.FindStringSubmatch(strings.TrimSpace(rest))
		if at == nil {
			return login{}, fmt.Errorf("the second line of the file %s with credentials is no host that gives tokens, such as https://auth.example.com", name)
		}
		l.tokens = strings.TrimSuffix(at[1], ":443")
	}
	if user, password, ok := strings.Cut(l.password, ":"); ok {
		l.user, l.password = user, password
	}
	return l, nil
}

// guarded sends requests by HTTPS only, cuts answers off, and sends credentials to the hosts that the file with them
// names: a redirect, or a service of tokens that only the registry names, gets none.
type guarded struct {
	host   string
	tokens string // "": nobody else
	over   http.RoundTripper
}

func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" {
		return nil, errors.New("its host leads to an address that does not begin with https://")
	}
	to := strings.TrimSuffix(strings.ToLower(r.URL.Host), ":443")
	if to != g.host && to != g.tokens && (r.Header.Get("Authorization") != "" || r.URL.User != nil) {
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

// through returns how a host is reached, and another one that gives its tokens.
func (s *Store) through(host, tokens string) http.RoundTripper {
	return guarded{strings.TrimSuffix(strings.ToLower(host), ":443"), tokens, s.transport}
}

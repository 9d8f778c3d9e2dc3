package dashboard

import (
	"net"
	"net/http"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/text"
)

// Proxy is a gate that believes the headers of a reverse proxy which signs people in. It believes them only on a connection that nobody
// else can open: through a unix socket, or with a client certificate.
type Proxy struct {
	User   string // the header with the name
	Groups string // that with the groups, between commas; "": there is none
}

// Limits of what a sign-in says of somebody.
const (
	maxUser   = 200 // bytes, as of logins and viewers
	maxGroups = 500
)

// Who returns whom the proxy signed in.
func (p Proxy) Who(r *http.Request) (access.Identity, error) {
	if !fromProxy(r) {
		return access.Identity{}, refuse(http.StatusForbidden, "only the proxy may say who asks: it comes through the unix socket, or with a client certificate")
	}
	users := r.Header.Values(p.User)
	switch {
	case len(users) == 0 || users[0] == "":
		return access.Identity{}, refuse(http.StatusUnauthorized, "the proxy does not say who asks, in the header %s", p.User)
	case len(users) > 1:
		return access.Identity{}, refuse(http.StatusForbidden, "several headers %s say who asks; the proxy has to replace those of browsers", p.User)
	}
	return identityOf(users[0], strings.Split(strings.Join(r.Header.Values(p.Groups), ","), ","))
}

// identityOf returns who somebody is if their name is one that the fleet can name.
func identityOf(user string, groups []string) (access.Identity, error) {
	if text.Line(user, maxUser) != user {
		return access.Identity{}, refuse(http.StatusForbidden, "the name of who signed in has more than %d bytes, or characters that do not show", maxUser)
	}
	who := access.Identity{User: user}
	for _, group := range groups {
		if group = strings.TrimSpace(group); group != "" && len(who.Groups) < maxGroups {
			who.Groups = append(who.Groups, group)
		}
	}
	return who, nil
}

// fromProxy reports whether a request came on a connection that only the proxy can open.
func fromProxy(r *http.Request) bool {
	if r.TLS != nil {
		return len(r.TLS.VerifiedChains) > 0
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return local != nil && local.Network() == "unix"
}

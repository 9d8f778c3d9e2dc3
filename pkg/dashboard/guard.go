package dashboard

import (
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
)

// policy is the content security policy of all answers but the page, which adds a nonce for its styles.
const policy = "default-src 'none'; script-src 'self'; style-src-elem 'self'; style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
	"connect-src 'self'; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// guard lets in only requests for the hosts that the dashboard answers for, so that no other name can be pointed at it, and
// none that another site makes a browser send.
func guard(hosts []string, next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	origin.SetDenyHandler(handler(func(http.ResponseWriter, *http.Request) error {
		return refuse(http.StatusForbidden, "the request comes from another site")
	}))
	next = origin.Handler(next)
	return handler(func(w http.ResponseWriter, r *http.Request) error {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !slices.Contains(hosts, strings.ToLower(r.Host)) {
			return refuse(http.StatusMisdirectedRequest, "the dashboard answers for %s only", hosts[0])
		}
		if clean := path.Clean(r.URL.Path); r.URL.Path != clean && r.URL.Path != clean+"/" {
			return refuse(http.StatusNotFound, "the dashboard has no such path")
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// hostsOf returns the names under which browsers reach an address of this machine.
func hostsOf(address string) []string {
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return []string{address}
	}
	hosts := []string{address}
	for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
		hosts = append(hosts, net.JoinHostPort(name, port))
		if port == "80" {
			hosts = append(hosts, strings.TrimSuffix(net.JoinHostPort(name, port), ":80"))
		}
	}
	return hosts
}

package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of what an issuer answers.
const (
	maxIssuing      = 10 * time.Second // one answer
	maxIssued       = 1 << 20          // bytes of one
	betweenFailures = 5 * time.Second  // from one that failed to the next question
	maxWhy          = 300              // bytes of why it refused somebody
)

// issuer is the server that knows people. It is asked for the first time when somebody signs in, so it may be away when the dashboard starts.
type issuer struct {
	OIDCOptions
	client *http.Client

	mu     sync.Mutex
	config *oauth2.Config // nil: it did not answer yet
	tokens *oidc.IDTokenVerifier
	failed error // why it did not
	at     time.Time
}

func newIssuer(o OIDCOptions) *issuer {
	return &issuer{OIDCOptions: o, client: &http.Client{
		Timeout: maxIssuing, Transport: bounded{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // secrets go where the issuer said, and nowhere else
	}}
}

// bounded cuts the bodies of answers.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	w, err := b.RoundTripper.RoundTrip(r)
	if err == nil {
		w.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(w.Body, maxIssued), w.Body}
	}
	return w, err
}

// ask returns how to send people to the issuer. One that did not answer is left alone for a moment, so that nobody waits behind many others.
func (i *issuer) ask(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.config != nil {
		return i.config, i.tokens, nil
	}
	if i.failed != nil && i.Now().Sub(i.at) < betweenFailures {
		return nil, nil, i.failed
	}
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.client), i.Issuer)
	if err == nil {
		var keys struct {
			Address string `json:"jwks_uri"`
		}
		err = found.Claims(&keys)
		for _, address := range []string{found.Endpoint().AuthURL, found.Endpoint().TokenURL, keys.Address} {
			err = errors.Join(err, private(address))
		}
	}
	if err != nil {
		i.failed, i.at = i.away(err), i.Now()
		return nil, nil, i.failed
	}
	i.config = &oauth2.Config{
		ClientID: i.ClientID, ClientSecret: i.ClientSecret, Endpoint: found.Endpoint(), RedirectURL: i.Redirect.String(),
		Scopes: append([]string{oidc.ScopeOpenID}, i.Scopes...),
	}
	i.tokens = found.Verifier(&oidc.Config{ClientID: i.ClientID, Now: i.Now})
	return i.config, i.tokens, nil
}

func (i *issuer) away(err error) error {
	return refuse(http.StatusServiceUnavailable, "the issuer %s cannot be asked just now, so nobody can sign in; who is signed in stays: %s", i.Issuer, text.Line(err.Error(), maxWhy))
}

// private returns an error for an address at which others could read along.
func private(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "https" && u.Host != "" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%s is no https:// address", address)
}

// who exchanges the code that somebody came back with for who they are.
func (i *issuer) who(ctx context.Context, code string, a attempt) (access.Identity, error) {
	config, tokens, err := i.ask(ctx)
	if err != nil {
		return access.Identity{}, err
	}
	made, err := config.Exchange(oidc.ClientContext(ctx, i.client), code, oauth2.VerifierOption(a.Verifier))
	if said := (*oauth2.RetrieveError)(nil); errors.As(err, &said) && said.Response.StatusCode < http.StatusInternalServerError {
		return access.Identity{}, refuse(http.StatusForbidden, "the issuer %s does not know the code of this sign-in (%s)", i.Issuer, text.Line(said.ErrorCode, maxWhy))
	}
	if err != nil {
		return access.Identity{}, i.away(err)
	}
	raw, _ := made.Extra("id_token").(string)
	token, err := tokens.Verify(ctx, raw)
	if err == nil && token.Nonce != a.Nonce {
		err = errors.New("it is that of another sign-in")
	}
	claims := map[string]json.RawMessage{}
	if err == nil {
		err = token.Claims(&claims)
	}
	if party := claim[string](claims, "azp"); err == nil && len(token.Audience) > 1 && party != i.ClientID {
		err = fmt.Errorf("it was made for %.100q", party)
	}
	if err != nil {
		return access.Identity{}, refuse(http.StatusForbidden, "the token of the issuer %s cannot be believed: %s", i.Issuer, text.Line(err.Error(), maxWhy))
	}
	return i.identity(claims)
}

// identity returns whom the claims of a token name.
func (i *issuer) identity(claims map[string]json.RawMessage) (access.Identity, error) {
	user := claim[string](claims, i.UserClaim)
	switch {
	case user == "":
		return access.Identity{}, refuse(http.StatusForbidden, "the token of the issuer has no claim %s, which says who somebody is; name another with --auth-user-claim", i.UserClaim)
	case i.UserClaim == "email" && !claim[bool](claims, "email_verified"):
		return access.Identity{}, refuse(http.StatusForbidden, "the issuer does not say that the address %.200q was verified, and anybody could have entered it; name another claim with --auth-user-claim", user)
	}
	groups := claim[[]string](claims, i.GroupsClaim)
	if one := claim[string](claims, i.GroupsClaim); one != "" {
		groups = []string{one}
	}
	return identityOf(user, groups)
}

// claim returns a claim, and the zero value for one of another type.
func claim[T any](claims map[string]json.RawMessage, name string) T {
	var v, none T
	if json.Unmarshal(claims[name], &v) != nil {
		return none
	}
	return v
}

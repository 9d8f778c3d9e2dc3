package main

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/d-aros/d-aros/pkg/dashboard"
)

// uiIssuer is where people sign in to a dashboard.
type uiIssuer struct {
	issuer, clientID, secretFile string
	redirect                     string
	scopes                       []string
	userClaim, groupsClaim       string
	lifetime                     time.Duration
	url                          string // of the first page, once it is open
}

func (u *uiIssuer) add(fl *pflag.FlagSet) {
	fl.StringVar(&u.issuer, "auth-issuer", "", "with --auth oidc: `URL` of the issuer of OpenID Connect")
	fl.StringVar(&u.clientID, "auth-client-id", "", "with --auth oidc: name of the dashboard at the issuer")
	fl.StringVar(&u.secretFile, "auth-client-secret-file", "", "with --auth oidc: file with its secret there")
	fl.StringVar(&u.redirect, "auth-redirect", "", "with --auth oidc: `URL` that the issuer sends browsers back to (default: https://HOST/auth/callback, of the first --host)")
	fl.StringSliceVar(&u.scopes, "auth-scope", []string{"email"}, "with --auth oidc: what the issuer is asked for, beside openid")
	fl.StringVar(&u.userClaim, "auth-user-claim", "email", "with --auth oidc: the claim with the name of who signs in")
	fl.StringVar(&u.groupsClaim, "auth-groups-claim", "groups", "with --auth oidc: the claim with their groups")
	fl.DurationVar(&u.lifetime, "auth-lifetime", 8*time.Hour, "with --auth oidc: time after which people sign in again, and their groups are read again")
}

// open has the dashboard sign people in. It returns the name under which browsers come back.
func (u *uiIssuer) open(o *dashboard.Options, hosts []string) (host string, err error) {
	switch {
	case u.issuer == "" || u.clientID == "":
		return "", errors.New("name the issuer with --auth-issuer, and the dashboard with --auth-client-id as it is called there")
	case u.redirect == "" && len(hosts) == 0:
		return "", errors.New("write with --host under which name browsers reach the dashboard, such as fleet.example.com")
	case u.lifetime < time.Minute:
		return "", fmt.Errorf("--auth-lifetime %s: at least 1m", u.lifetime)
	}
	back, err := url.Parse(cmp.Or(u.redirect, "https://"+strings.Join(hosts[:min(1, len(hosts))], "")+dashboard.CallbackPath))
	if err != nil {
		return "", fmt.Errorf("--auth-redirect: %w", err)
	}
	secret := ""
	if u.secretFile != "" {
		text, err := os.ReadFile(u.secretFile)
		if err != nil {
			return "", fmt.Errorf("--auth-client-secret-file: %w", err)
		}
		secret = strings.TrimSpace(string(text))
	}
	o.SignIn, err = dashboard.NewOIDC(dashboard.OIDCOptions{
		Issuer: u.issuer, ClientID: u.clientID, ClientSecret: secret, Redirect: back, Scopes: u.scopes, UserClaim: u.userClaim, GroupsClaim: u.groupsClaim,
		Lifetime: u.lifetime, Now: present,
	})
	u.url = back.Scheme + "://" + back.Host + "/"
	return back.Host, err
}

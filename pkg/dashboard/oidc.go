package dashboard

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/text"
)

// OIDCOptions are where people sign in, and what says who they are.
type OIDCOptions struct {
	Issuer       string // its address
	ClientID     string // of the dashboard
	ClientSecret string // "": it has none
	Redirect     *url.URL
	Scopes       []string // beside openid
	UserClaim    string   // with the name
	GroupsClaim  string
	Lifetime     time.Duration // of a sign-in
	Now          func() time.Time
}

// Paths of the sign-in. The issuer sends people back to CallbackPath.
const (
	signInPath   = "/auth/sign-in"
	CallbackPath = "/auth/callback"
	signOutPath  = "/auth/sign-out"
)

// OIDC is a gate that sends people to an issuer of OpenID Connect, which signs them in: by the code flow, with PKCE. It remembers them until
// they leave, for a lifetime at most, so an issuer that is away ends no visit.
type OIDC struct {
	issuer   *issuer
	attempts *attempts
	visits   *visits
	secure   bool // browsers reach the dashboard over TLS only
}

// NewOIDC prepares a gate. It asks the issuer when the first person signs in.
func NewOIDC(o OIDCOptions) (*OIDC, error) {
	if err := private(o.Issuer); err != nil {
		return nil, fmt.Errorf("the issuer: %w", err)
	}
	if err := private(o.Redirect.String()); err != nil {
		return nil, fmt.Errorf("the URL that it sends browsers back to: %w", err)
	}
	if o.Redirect.Path != CallbackPath || o.Redirect.RawQuery != "" {
		return nil, fmt.Errorf("the URL that it sends browsers back to: the path is %s", CallbackPath)
	}
	return &OIDC{issuer: newIssuer(o), attempts: newAttempts(), visits: &visits{lifetime: o.Lifetime, now: o.Now, open: map[string]*visit{}, of: map[string][]string{}}, secure: o.Redirect.Scheme == "https"}, nil
}

// Who returns who signed in with this browser.
func (o *OIDC) Who(r *http.Request) (access.Identity, error) {
	if v := o.visit(r); v != nil {
		return v.who, nil
	}
	return access.Identity{}, nil
}

func (o *OIDC) visit(r *http.Request) *visit {
	c, err := r.Cookie(o.cookie("visit"))
	if err != nil {
		return nil
	}
	return o.visits.find(c.Value)
}

// during returns a request that ends with the visit of its browser. The caller calls stop.
func (o *OIDC) during(r *http.Request) (_ *http.Request, stop func()) {
	is := o.visit(r)
	if is == nil {
		return r, func() {}
	}
	ctx, cancel := context.WithCancel(r.Context())
	end := context.AfterFunc(is.ctx, cancel)
	return r.WithContext(ctx), func() { end(); cancel() }
}

// cookie names a cookie. With TLS no other host can set it.
func (o *OIDC) cookie(of string) string {
	if o.secure {
		return "__Host-daros_" + of
	}
	return "daros_" + of + "_" + o.issuer.Redirect.Port()
}

// set gives a cookie to the browser, or takes it away if it is empty.
func (o *OIDC) set(w http.ResponseWriter, of, value string, site http.SameSite) {
	c := &http.Cookie{Name: o.cookie(of), Value: value, Path: "/", HttpOnly: true, Secure: o.secure, SameSite: site}
	if value == "" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
}

// handle adds the paths of the sign-in.
func (o *OIDC) handle(mux *http.ServeMux) {
	mux.HandleFunc("GET "+signInPath, o.said(o.signIn))
	mux.HandleFunc("GET "+CallbackPath, o.said(o.callback))
	mux.HandleFunc("POST "+signOutPath, o.signOut)
}

// signIn sends the browser to the issuer.
func (o *OIDC) signIn(w http.ResponseWriter, r *http.Request) (to string, err error) {
	config, _, err := o.issuer.ask(r.Context())
	if err != nil {
		return "", err
	}
	a, sealed := o.attempts.begin(r.URL.Query().Get("to"), o.issuer.Now())
	// The issuer is another site, and sends the browser back with a link: a strict cookie would not come with it.
	o.set(w, "attempt", sealed, http.SameSiteLaxMode)
	return config.AuthCodeURL(a.State, oauth2.S256ChallengeOption(a.Verifier), oidc.Nonce(a.Nonce)), nil
}

// callback lets in whom the issuer sends back.
func (o *OIDC) callback(w http.ResponseWriter, r *http.Request) (to string, err error) {
	asked := r.URL.Query()
	c, err := r.Cookie(o.cookie("attempt"))
	if err != nil {
		c = &http.Cookie{}
	}
	a, err := o.attempts.end(c.Value, asked.Get("state"), o.issuer.Now())
	if err != nil {
		return "", refuse(http.StatusForbidden, "%v", err)
	}
	o.set(w, "attempt", "", http.SameSiteLaxMode)
	if why := asked.Get("error"); why != "" {
		return "", refuse(http.StatusForbidden, "the issuer %s did not sign you in: %s", o.issuer.Issuer, text.Line(why+" "+asked.Get("error_description"), maxWhy))
	}
	who, err := o.issuer.who(r.Context(), asked.Get("code"), a)
	if err != nil {
		return "", err
	}
	// Pages ask for all that they show from the same site, so the cookie of a visit need not come with links of others.
	o.set(w, "visit", o.visits.begin(who), http.SameSiteStrictMode)
	return a.To, nil
}

// signOut ends the visit of the browser. The issuer still knows it.
func (o *OIDC) signOut(w http.ResponseWriter, r *http.Request) {
	if c, err := r.Cookie(o.cookie("visit")); err == nil {
		o.visits.leave(c.Value)
	}
	o.set(w, "visit", "", http.SameSiteStrictMode)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
}

var sentence = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><meta charset="utf-8"><title>Sign in</title>
<p role="alert">{{.}}.</p><p><a href="` + signInPath + `">Sign in again</a></p></html>
`))

// said sends the browser where a function says, or shows its error: a person looks at it, and no page of the front end.
func (o *OIDC) said(do func(w http.ResponseWriter, r *http.Request) (to string, err error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		to, err := do(w, r)
		if err == nil {
			http.Redirect(w, r, to, http.StatusSeeOther)
			return
		}
		known := refusalOf(err)
		w.Header().Set("Content-Type", kinds[".html"])
		w.WriteHeader(known.status)
		_ = sentence.Execute(w, text.Line(known.sentence, maxSentence))
	}
}

package dashboard

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/require"
)

// provider is an issuer of OpenID Connect that signs in whoever comes as the one that a test names.
type provider struct {
	*httptest.Server
	t   *testing.T
	key *ecdsa.PrivateKey

	mu        sync.Mutex
	claims    map[string]any                     // of who comes next, beside those that every token has
	alters    func(claims map[string]any)        // the next tokens; nil: nothing does
	signs     func(claims map[string]any) string // the next tokens; nil: with the key of the issuer
	codes     map[string]url.Values              // questions of the codes that nobody exchanged yet
	asked     int                                // exchanges
	away      bool
	discloses string // the address that others can read along at
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	p := &provider{t: t, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		said := map[string]any{
			"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
		}
		if p.discloses != "" {
			said[p.discloses] = "http://id.example.com/"
		}
		p.answer(w, said)
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		p.answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}})
	})
	mux.HandleFunc("GET /authorize", p.authorize)
	mux.HandleFunc("POST /token", p.token)
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.away {
			http.Error(w, "down", http.StatusBadGateway)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// authorize sends the browser back with a code.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("response_type") != "code" || asked.Get("client_id") != "daros" || asked.Get("code_challenge_method") != "S256" || asked.Get("state") == "" || asked.Get("nonce") == "" {
		http.Error(w, "what is this?", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	p.codes[code] = asked
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {asked.Get("state")}}.Encode(), http.StatusFound)
}

// token exchanges a code, once, for who has the verifier and the secret.
func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.asked++
	id, secret, _ := r.BasicAuth()
	code := r.PostFormValue("code")
	of, known := p.codes[code]
	delete(p.codes, code)
	proof := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !known || id != "daros" || secret != "s3cret" || base64.RawURLEncoding.EncodeToString(proof[:]) != of.Get("code_challenge") || r.PostFormValue("redirect_uri") != of.Get("redirect_uri") {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(`{"error":"invalid_grant"}`))
		return
	}
	claims := map[string]any{"iss": p.URL, "sub": "1", "aud": "daros", "nonce": of.Get("nonce"), "iat": began.Unix(), "exp": began.Add(time.Hour).Unix()}
	for name, value := range p.claims {
		claims[name] = value
	}
	if p.alters != nil {
		p.alters(claims)
	}
	sign := p.signs
	if sign == nil {
		sign = func(claims map[string]any) string { return signed(p.t, jose.ES256, p.key, claims) }
	}
	p.answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": sign(claims)})
}

// set changes what the provider does.
func (p *provider) set(do func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	do()
}

func signed(t *testing.T, how jose.SignatureAlgorithm, key any, claims map[string]any) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: how, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(t, err)
	return token
}

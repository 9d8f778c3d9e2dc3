package dashboard

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// Limits of attempts to sign in.
const (
	maxAttempt = 10 * time.Minute // until somebody comes back from the issuer
	maxReturn  = 1 << 10          // bytes of where they return to
	maxUsed    = 4096             // that are kept in mind
)

// attempt is a sign-in that has begun. The browser keeps it, sealed, so that beginning many costs the server nothing.
type attempt struct {
	State    string    `json:"state"` // that the issuer gives back
	Nonce    string    `json:"nonce"` // that its token has
	Verifier string    `json:"verifier"`
	To       string    `json:"to"` // where the browser goes then
	Until    time.Time `json:"until"`
}

// attempts seals attempts, and knows those that somebody came back with.
type attempts struct {
	seal cipher.AEAD

	mu    sync.Mutex
	used  map[string]bool
	order []string // of used, the oldest first
}

func newAttempts() *attempts {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // it never fails
	block, _ := aes.NewCipher(key)
	seal, _ := cipher.NewGCMWithRandomNonce(block)
	return &attempts{seal: seal, used: map[string]bool{}}
}

// begin returns an attempt, and it sealed.
func (a *attempts) begin(to string, now time.Time) (attempt, string) {
	made := attempt{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier(), To: here(to), Until: now.Add(maxAttempt)}
	plain, _ := json.Marshal(made)
	return made, base64.RawURLEncoding.EncodeToString(a.seal.Seal(nil, nil, plain, nil))
}

// end returns the attempt that is sealed, once.
func (a *attempts) end(sealed, state string, now time.Time) (attempt, error) {
	var made attempt
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err == nil {
		raw, err = a.seal.Open(nil, nil, raw, nil)
	}
	if err != nil || json.Unmarshal(raw, &made) != nil || made.State != state {
		return made, errors.New("this browser did not begin the sign-in that it comes back from")
	}
	if !now.Before(made.Until) {
		return made, errors.New("the sign-in took longer than 10 minutes")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used[state] {
		return made, errors.New("the sign-in was completed before")
	}
	if len(a.order) == maxUsed {
		delete(a.used, a.order[0])
		a.order = a.order[1:]
	}
	a.used[state], a.order = true, append(a.order, state)
	return made, nil
}

// here returns a path of this dashboard: the one that is asked for, or the first page for what leads elsewhere.
func here(to string) string {
	u, err := url.Parse(to)
	if err != nil || len(to) > maxReturn || u.IsAbs() || u.Host != "" || !strings.HasPrefix(u.Path, "/") || strings.HasPrefix(u.Path, "//") {
		return "/"
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

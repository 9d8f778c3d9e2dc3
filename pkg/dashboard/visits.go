package dashboard

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/access"
)

// maxVisits is how many browsers of a person are signed in at a time. The oldest visit ends when one more begins.
const maxVisits = 8

// visits are the browsers that have signed in. They end with the process.
type visits struct {
	lifetime time.Duration
	now      func() time.Time

	mu   sync.Mutex
	open map[string]*visit
	of   map[string][]string // keys of a person's visits, the oldest first
}

// visit is one browser of a person.
type visit struct {
	who   access.Identity
	until time.Time
	ctx   context.Context // ends with it
	end   context.CancelFunc
}

// begin lets a person in.
func (v *visits) begin(who access.Identity) (key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if keys := v.of[who.User]; len(keys) == maxVisits {
		v.forget(keys[0])
	}
	key = rand.Text()
	made := &visit{who: who, until: v.now().Add(v.lifetime)}
	made.ctx, made.end = context.WithTimeout(context.Background(), v.lifetime)
	context.AfterFunc(made.ctx, func() { v.leave(key) })
	v.open[key], v.of[who.User] = made, append(v.of[who.User], key)
	return key
}

// leave ends a visit, and what is sent to it.
func (v *visits) leave(key string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.forget(key)
}

func (v *visits) forget(key string) {
	is := v.open[key]
	if is == nil {
		return
	}
	delete(v.open, key)
	user := is.who.User
	if v.of[user] = slices.DeleteFunc(v.of[user], func(k string) bool { return k == key }); len(v.of[user]) == 0 {
		delete(v.of, user)
	}
	is.end()
}

// find returns the visit with a key, nil if there is none any more.
func (v *visits) find(key string) *visit {
	v.mu.Lock()
	defer v.mu.Unlock()
	if is := v.open[key]; is != nil && v.now().Before(is.until) {
		return is
	}
	return nil
}

package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// usualPatience is how long a pass waits for the answer to one request, unless all answers take
// long. The API server answers within milliseconds, unless an admission webhook holds the request.
const usualPatience = time.Second

// late is the error for a request that has no answer yet.
type late struct {
	tenant string // whose other requests have none, so that this one was not made; "" if it was
	known  bool   // it says nothing new about the API server: earlier requests had no answer
	waited time.Duration
}

func (l *late) Error() string {
	if l.tenant != "" {
		return fmt.Sprintf("not tried: too many requests for tenant %s have no answer yet", l.tenant)
	}
	return fmt.Sprintf("no answer for %s; the request goes on, and nothing else waits for it: an admission webhook or the API server may be slow", l.waited.Round(time.Millisecond))
}

// unanswered holds the requests for which passes wait no more. They go on until they are
// answered or given up. Its methods may be called from any goroutine.
type unanswered struct {
	share   int // how many a tenant may have
	pace    pace
	closing context.Context
	close   context.CancelFunc
	group   sync.WaitGroup
	idle    chan func() // to goroutines that have made a request: their stacks have grown already

	mu   sync.Mutex
	all  map[Ref]*request
	each map[string]int // under way, by tenant
}

// request is one that took longer than a pass waits.
type request struct {
	running bool
	waited  time.Duration // for its answer
	said    error         // how the last request about the object ended
}

func newUnanswered(share int, patience time.Duration) *unanswered {
	u := &unanswered{share: max(1, share), pace: newPace(cmp.Or(patience, usualPatience)), all: map[Ref]*request{}, each: map[string]int{}, idle: make(chan func())}
	u.closing, u.close = context.WithCancel(context.Background())
	return u
}

// end gives up all requests and waits for them.
func (u *unanswered) end() {
	u.close()
	u.group.Wait()
}

// begin does something in a goroutine that has nothing to do, else in a new one.
func (u *unanswered) begin(do func()) {
	select {
	case u.idle <- do:
		return
	default:
	}
	u.group.Go(func() {
		for {
			do()
			select {
			case do = <-u.idle:
			case <-u.closing.Done():
				return
			}
		}
	})
}

// pending returns the error for an object about which a request is under way, else nil.
func (u *unanswered) pending(r Ref) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if q := u.all[r]; q != nil && q.running {
		return cmp.Or(q.said, error(&late{known: true, waited: q.waited}))
	}
	return nil
}

// forget drops how the last request about an object ended.
func (u *unanswered) forget(r Ref) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.all, r)
}

// full returns an error if as many requests for a tenant are under way as it may have.
func (u *unanswered) full(tenant string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.each[tenant] >= u.share {
		return &late{tenant: tenant}
	}
	return nil
}

// of returns how many requests for a tenant are under way that nobody waits for.
func (u *unanswered) of(tenant string) int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.each[tenant]
}

// leave lets a request go on that nobody waits for. It reports false if that has just ended.
func (u *unanswered) leave(tenant string, r Ref, waited time.Duration, ended *bool) (said error, left bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if *ended {
		return nil, false
	}
	q := u.all[r]
	if q == nil {
		q = &request{}
		u.all[r] = q
	}
	q.running, q.waited = true, waited
	u.each[tenant]++
	return cmp.Or(q.said, error(&late{known: u.each[tenant] > u.share, waited: waited})), true
}

// ended notes that a request has ended with an error or with nil.
func (u *unanswered) ended(tenant string, r Ref, err error, ended *bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	*ended = true
	q := u.all[r]
	if q == nil || !q.running {
		return
	}
	if q.running, q.said = false, err; err == nil {
		delete(u.all, r)
	}
	if u.each[tenant]--; u.each[tenant] == 0 {
		delete(u.each, tenant)
	}
}

// await makes a request about an object and returns its answer, or an error that says that
// there is none yet: then the request goes on, and until it has ended there is no other one
// about the object. Such an error is the one of the request before, if there was one.
// The request ends with life, after answerIn, and with ctx as long as somebody waits.
func await[T any](ctx, life context.Context, u *unanswered, tenant string, r Ref, do func(context.Context) (T, error)) (answer T, err error) {
	if err := cmp.Or(u.pending(r), u.full(tenant)); err != nil {
		return answer, err
	}
	request, cancel := context.WithTimeout(life, answerIn)
	kind := schema.GroupKind{Group: r.Group, Kind: r.Kind}
	began, patience := time.Now(), u.pace.patience(kind)
	done, ended := make(chan struct{}), false
	var got T
	var failed error
	u.begin(func() {
		defer cancel()
		defer context.AfterFunc(u.closing, cancel)()
		got, failed = do(request)
		if !errors.Is(failed, context.Canceled) {
			u.pace.note(kind, tenant, time.Since(began))
		}
		u.ended(tenant, r, failed, &ended)
		close(done)
	})
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-timer.C:
		if said, left := u.leave(tenant, r, patience, &ended); left {
			return answer, said
		}
	case <-ctx.Done():
		cancel()
	case <-done:
	}
	<-done
	u.forget(r)
	return got, failed
}

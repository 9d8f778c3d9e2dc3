package dashboard

import (
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// viewings are the applications of a cluster that people look at. Watching one begins with the first who looks, and ends some time
// after the last.
type viewings struct {
	cluster Cluster
	linger  time.Duration
	most    int // at a time

	mu     sync.Mutex
	open   map[viewed]*viewing
	closed bool
	ending sync.WaitGroup
}

// Limits of viewings.
const (
	lingerFor    = time.Minute
	mostViewings = 64
)

// viewed is what one viewing is of: what two people may see differs.
type viewed struct {
	app    model.AppID
	person string // name and groups
}

// viewing is an application that is watched for a person.
type viewing struct {
	Followed
	viewers int
	last    *time.Timer // that ends it; nil while somebody looks
}

func newViewings(c Cluster) *viewings {
	return &viewings{cluster: c, linger: lingerFor, most: mostViewings, open: map[viewed]*viewing{}}
}

// enter begins to look at an application. Who enters calls leave.
func (v *viewings) enter(app model.AppID, of runtime.Person) (f Followed, leave func(), err error) {
	key := viewed{app, strings.Join(append([]string{of.Name}, of.Groups...), "\x00")}
	v.mu.Lock()
	defer v.mu.Unlock()
	is := v.open[key]
	if is == nil {
		if v.closed || len(v.open) >= v.most && !v.evict() {
			return nil, nil, refuse(http.StatusTooManyRequests, "people look at %d applications already; close a page", len(v.open))
		}
		f, err := v.cluster.Follow(app, of)
		if err != nil {
			return nil, nil, blame(http.StatusForbidden, err)
		}
		is = &viewing{Followed: f}
		v.open[key] = is
	}
	if is.last != nil {
		is.last.Stop()
		is.last = nil
	}
	is.viewers++
	return is, sync.OnceFunc(func() { v.leave(key, is) }), nil
}

// evict ends one that nobody looks at any more, and reports whether there was one.
func (v *viewings) evict() bool {
	for key, is := range v.open {
		if is.last != nil {
			is.last.Stop()
			is.last = nil
			delete(v.open, key)
			v.ending.Go(is.Close)
			return true
		}
	}
	return false
}

// leave ends a look. The last one starts the time after which the watches end.
func (v *viewings) leave(key viewed, is *viewing) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if is.viewers--; is.viewers > 0 || v.closed {
		return
	}
	var last *time.Timer
	last = time.AfterFunc(v.linger, func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		if is.last == last { // nobody came meanwhile
			is.last = nil
			delete(v.open, key)
			v.ending.Go(is.Close)
		}
	})
	is.last = last
}

// close ends all of them, and waits until they have ended.
func (v *viewings) close() {
	v.mu.Lock()
	v.closed = true
	for key, is := range v.open {
		is.last = nil
		delete(v.open, key)
		v.ending.Go(is.Close)
	}
	v.mu.Unlock()
	v.ending.Wait()
}

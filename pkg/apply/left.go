package apply

import "github.com/d-aros/d-aros/pkg/model"

// trace is what our last apply left of an object.
type trace struct {
	app     model.AppID
	applied string
	left    model.Digest
}

// begin says that a request about an object is under way: until settle, what
// the watch shows of it may be our own doing.
func (l *Live) begin(r Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending[r] = ""
}

// settle takes in the answer to the request, nil if there was none. The watch
// may have shown something newer already, then that is drift.
func (l *Live) settle(r Ref, app model.AppID, answer *Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	deleted := l.sending[r]
	delete(l.sending, r)
	if answer == nil {
		return
	}
	l.left[r] = trace{app: app, applied: answer.applied, left: answer.left}
	if deleted == "" || newer(answer.Version, deleted) {
		l.set(answer)
	}
	switch now := l.objects[r]; {
	case now == nil || now.left != answer.left || now.applied != answer.applied:
		l.drifted[r] = true
		l.wake()
	default:
		l.slim(now)
	}
}

// find returns what is known of an object and what we left of it.
func (l *Live) find(r Ref) (o *Object, t trace, remembered bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, remembered = l.left[r]
	return l.objects[r], t, remembered
}

// remember notes that o is as we want it.
func (l *Live) remember(o *Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left[o.Ref] = trace{app: o.App, applied: o.applied, left: o.left}
	if l.objects[o.Ref] == o {
		l.slim(o)
	}
}

// slim drops what is only needed to compare an object that is not remembered.
func (l *Live) slim(o *Object) {
	slim := *o
	slim.own = nil
	l.objects[o.Ref], l.apps[o.App][o.Ref] = &slim, &slim
}

// forget notes that the object is no longer wanted.
func (l *Live) forget(r Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.left, r)
}

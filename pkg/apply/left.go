package apply

import "github.com/d-aros/d-aros/pkg/model"

// trace is the state of an object after our last apply.
type trace struct {
	app     model.AppID
	uid     string
	applied string
	left    model.Digest
}

// begin records that a request about an object is under way: until settle, changes
// that the watch shows may be our own.
func (l *Live) begin(r Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sending[r] = ""
}

// settle records the answer to the request, nil if there was none. If the watch has
// shown a newer version already, that is drift.
func (l *Live) settle(r Ref, app model.AppID, answer *Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	deleted := l.sending[r]
	delete(l.sending, r)
	if answer == nil {
		return
	}
	l.left[r] = trace{app: app, uid: answer.UID, applied: answer.applied, left: answer.left}
	if deleted == "" || newer(answer.Version, deleted) {
		l.set(answer)
	}
	switch now := l.objects[r]; {
	case now == nil || now.left != answer.left || now.applied != answer.applied:
		l.drifted[r] = true
		l.Wake()
	default:
		l.slim(now)
	}
}

// find returns the object in the watch and its trace.
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
	l.left[o.Ref] = trace{app: o.App, uid: o.UID, applied: o.applied, left: o.left}
	if l.objects[o.Ref] == o {
		l.slim(o)
	}
}

// slim drops the fields that are needed only to compare an object without a trace.
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

// deleting notes that the API server took the deletion of an object, or has it no more. The
// watch may show that later than what was deleted after it.
func (l *Live) deleting(r Ref, uid string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.objects[r]
	if now == nil || now.UID != uid || now.Deleting {
		return
	}
	doomed := *now
	doomed.Deleting = true
	l.objects[r], l.apps[now.App][r] = &doomed, &doomed
	l.touched[now.App] = true
	l.Wake()
}

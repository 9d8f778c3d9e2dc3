package apply

import (
	"github.com/d-aros/d-aros/pkg/model"
)

// trace is the state of an object after our last apply.
type trace struct {
	app     model.AppID
	uid     string
	applied string
	left    mark
}

// sending is what the watch shows of an object while a request about it is under way.
type sending struct {
	requests int    // under way: more than one where several sets want the object
	deleted  string // the version at which it was deleted, "" if it was not
	shown    bool   // nobody waits for the answer: what the watch shows counts at once
	version  string // of held
	held     string // the object as the watch shows it, in JSON; "": not yet
}

// begin records that a request about an object is under way: until settle, changes
// that the watch shows may be our own.
func (l *Live) begin(r Ref) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sending[r] == nil {
		l.sending[r] = &sending{}
	}
	l.sending[r].requests++
}

// heard reports whether what the watch shows of an object need not be decoded: it is known from the answer to our
// request, or that answer is yet to come and likely tells it. Then it is kept until show.
func (l *Live) heard(r Ref, version, object string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now := l.objects[r]; now != nil && now.Version == version {
		return true
	}
	s := l.sending[r]
	if s == nil || s.shown {
		return false
	}
	s.version, s.held = version, object
	return true
}

// show takes in what the watch has shown of an object while a request about it was under way, unless that is the
// given version or an older one. From now on what it shows counts at once.
func (l *Live) show(r Ref, after string) error {
	l.mu.Lock()
	s := l.sending[r]
	if s == nil || s.shown {
		l.mu.Unlock()
		return nil
	}
	s.shown = true
	held := s.held
	if s.held = ""; after != "" && !newer(s.version, after) || s.deleted != "" && !newer(s.version, s.deleted) {
		held = ""
	}
	l.mu.Unlock()
	if held == "" {
		return nil
	}
	o, err := l.read(held)
	if err == nil {
		l.put(o)
	}
	return err
}

// settle records the answer to the request, nil if there was none. If the watch has
// shown a newer version already, that is drift.
func (l *Live) settle(r Ref, app model.AppID, answer *Object) {
	l.mu.Lock()
	defer l.mu.Unlock()
	deleted := l.sending[r].deleted
	if l.sending[r].requests--; l.sending[r].requests == 0 {
		delete(l.sending, r)
	}
	if answer == nil {
		return
	}
	l.left[r] = trace{app: app, uid: answer.UID, applied: answer.applied, left: answer.left}
	if (deleted == "" || newer(answer.Version, deleted)) && l.set(answer) {
		l.Wake() // what the watch shows of it says nothing new
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
	if o.own == "" {
		return
	}
	slim := *o
	slim.own = ""
	l.list(&slim)
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
	l.list(&doomed)
	l.touched[now.App] = true
	l.Wake()
}

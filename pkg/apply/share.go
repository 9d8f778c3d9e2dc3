package apply

import "k8s.io/apimachinery/pkg/runtime/schema"

// share lets an object use texts that are kept already: of what was known of it, of our last apply of it, of its kind and
// of another object of its application. The watch tells each object many times, and each time with texts of its own.
func (l *Live) share(o, old *Object) {
	switch all := l.apps[o.App]; {
	case old != nil:
		o.Ref = old.Ref
		o.resemble(old)
		reuse(&o.UID, old.UID)
		reuse(&o.Workload, old.Workload)
		if o.Owner == old.Owner {
			o.Owner = old.Owner
		}
		reuse(&o.applied, old.applied)
	case len(all) > 0:
		o.resemble(all[0])
		fallthrough
	default:
		l.shareKind(&o.Ref)
		if o.Owner.Kind != "" {
			l.shareKind(&o.Owner)
		}
	}
	if t, ok := l.left[o.Ref]; ok {
		reuse(&o.UID, t.uid)
		reuse(&o.applied, t.applied)
	}
	reuse(&o.Owner.Namespace, o.Namespace)
}

// resemble lets an object use texts of another one of its application.
func (o *Object) resemble(p *Object) {
	if o.App == p.App {
		o.App = p.App
	}
	reuse(&o.Namespace, p.Namespace)
	reuse(&o.Component, p.Component)
}

// mostKinds bounds the kinds whose texts are shared: an object may name an owner of a kind that nobody knows.
const mostKinds = 1000

func (l *Live) shareKind(r *Ref) {
	k := schema.GroupKind{Group: r.Group, Kind: r.Kind}
	known, ok := l.kindTexts[k]
	if !ok && len(l.kindTexts) < mostKinds {
		l.kindTexts[k], known, ok = k, k, true
	}
	if ok {
		r.Group, r.Kind = known.Group, known.Kind
	}
}

// reuse puts a text that is kept in the place of an equal one.
func reuse(text *string, kept string) {
	if *text == kept {
		*text = kept
	}
}

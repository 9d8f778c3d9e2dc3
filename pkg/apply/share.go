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
		reuse(&o.Owner.Name, old.Owner.Name)
		reuse(&o.applied, old.applied)
	case len(all) > 0:
		o.resemble(all[0])
	}
	if t, ok := l.left[o.Ref]; ok {
		reuse(&o.UID, t.uid)
		reuse(&o.applied, t.applied)
	}
	of := schema.GroupKind{Group: o.Group, Kind: o.Kind}
	if _, known := l.kindTexts[of]; !known {
		l.kindTexts[of] = of
	}
	o.Ref.shareKind(l.kindTexts)
	o.Owner.shareKind(l.kindTexts) // what it names may be no kind at all, so it is not kept
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

func (r *Ref) shareKind(known map[schema.GroupKind]schema.GroupKind) {
	if k, ok := known[schema.GroupKind{Group: r.Group, Kind: r.Kind}]; ok {
		r.Group, r.Kind = k.Group, k.Kind
	}
}

// reuse puts a text that is kept in the place of an equal one.
func reuse(text *string, kept string) {
	if *text == kept {
		*text = kept
	}
}

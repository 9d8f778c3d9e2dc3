package apply

import (
	"maps"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// recorded is what the inventories of an application say about its objects.
type recorded struct {
	uids    map[Ref]string // "" of an object that was announced, and whose UID is not written yet
	adopted map[Ref]string // values of render.AnnotationAdopted
	ledger  bool           // all are of the ledger that tells to carry out the set
}

// recorded reads the inventories of an application.
func (l *Live) recorded(app model.AppID, ledger string) recorded {
	rec := recorded{uids: map[Ref]string{}, adopted: map[Ref]string{}, ledger: true}
	for _, o := range l.inventories(app) {
		rec.ledger = rec.ledger && o.inventory.ledger == ledger
		for i, r := range o.inventory.refs {
			rec.uids[r] = o.inventory.uids[i]
		}
		maps.Copy(rec.adopted, o.inventory.adopted)
	}
	return rec
}

// mine reports whether D-AROS created an object for this fleet, or was handed it over. One
// of these holds:
//
//   - it is the very object that this process applied, or that the inventory lists, by its
//     UID. What is listed carries our label or fields of ours, too: whoever may write
//     inventories only cannot have us overwrite what others made;
//   - our field manager applied it for the fleet, and no UID is known of it: the object is
//     newer than the last write of the inventory, or the inventory is of a version that wrote none;
//   - our field manager applied it with the name of the application as its owner, and the
//     inventory is of the same ledger: the cluster was restored from a
//     backup, which gives every object a new UID;
//   - it is a namespace with the label of the fleet: that is how people hand one over.
//
// Who can write an object can make it look like ours. He gains nothing by it: what we then
// do to the object, he could do himself.
func (w *work) mine(o *Object, t trace) bool {
	rec := w.recorded()
	uid := rec.uids[o.Ref]
	if t.uid != "" {
		uid = t.uid
	}
	switch {
	case t.uid == o.UID, namespace(o.Ref) && o.labelled:
		return true
	case uid == o.UID:
		return o.labelled || !o.left.none()
	case o.left.none(): // another manager made it
		return false
	case uid == "":
		return o.labelled || strings.HasPrefix(o.owner.Value(), w.fleet+"/")
	}
	return rec.ledger && o.owner.Value() == ownerName(w.fleet, w.app())
}

// uids returns the UIDs of objects that are known to be ours, "" of others, and how those
// that others made were adopted.
func (w *work) uids(refs []Ref) (uids []string, adopted map[Ref]string) {
	rec := w.recorded()
	uids, adopted = make([]string, len(refs)), map[Ref]string{}
	for i, r := range refs {
		now, t, _ := w.live.find(r)
		uid, how := rec.uids[r], rec.adopted[r]
		if now != nil && now.App == w.app() && w.mine(now, t) {
			uid, how = now.UID, w.adopted(now)
		}
		if uids[i] = uid; how != "" {
			adopted[r] = how
		}
	}
	return uids, adopted
}

func namespace(r Ref) bool { return r.Group == "" && r.Kind == "Namespace" }

// renewed reports whether an object that is as we applied it has another UID, or was
// adopted in another way, than an inventory of its application says.
func (l *Live) renewed(app model.AppID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, o := range l.apps[app] {
		if o.inventory == nil {
			continue
		}
		for i, r := range o.inventory.refs {
			uid, t, now := o.inventory.uids[i], l.left[r], l.objects[r]
			if uid != "" && t.uid != "" && t.uid != uid || now != nil && t.uid == now.UID && now.adopted != o.inventory.adopted[r] {
				return true
			}
		}
	}
	return false
}

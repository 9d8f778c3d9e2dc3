package sim

import (
	"crypto/sha1"
	"maps"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// damage has somebody write garbage into the record of an application. The branch then
// gives the last readable record, as *status.Branch finds it in the history.
func (w *World) damage(app model.AppID) {
	l, file := w.origin.now(), "instances/"+app.String()
	if _, known := l.Find(app); !known || w.origin.lost() || l.DamagedOf(app) != nil {
		return
	}
	if w.signed { // and nobody reads what it says
		w.forge(app, "drop", "unsigned")
		return
	}
	w.origin.whole[app] = w.origin.versions[w.origin.tip()-1].files[file]
	w.origin.rewrite(app, []byte("{"), &model.DamagedRecord{App: app, File: file, Commit: "the commit of somebody", Reason: "it ends early"})
}

// revert brings a damaged record back, as "git revert" does, and reports whether there was one.
func (w *World) revert(app model.AppID) bool {
	if w.origin.lost() || w.origin.now().DamagedOf(app) == nil {
		return false
	}
	w.origin.rewrite(app, w.origin.whole[app], nil)
	return true
}

// rewrite replaces the record of an application by a commit that is no save.
func (o *origin) rewrite(app model.AppID, text []byte, damaged *model.DamagedRecord) {
	v := o.versions[o.tip()-1]
	v.files = maps.Clone(v.files)
	v.files["instances/"+app.String()] = text
	v.ledger.Damaged = slices.DeleteFunc(slices.Clone(v.ledger.Damaged), func(d model.DamagedRecord) bool { return d.App == app })
	if len(v.ledger.Damaged) == 0 {
		v.ledger.Damaged = nil
	}
	if damaged != nil {
		v.ledger.Damaged = append(v.ledger.Damaged, *damaged)
		slices.SortFunc(v.ledger.Damaged, func(x, y model.DamagedRecord) int { return x.App.Compare(y.App) })
	}
	v.ledger.Instances = slices.Clone(v.ledger.Instances)
	for i := range v.ledger.Instances {
		if inst := &v.ledger.Instances[i]; inst.App == app {
			inst.Revision = model.Revision(revised(v.files, app)) // that of the last readable one is of no record that is written
		}
	}
	v.ledger.Revision = revisionOf(v.files)
	o.add(v)
}

// keepDamaged adds the files of applications with damaged records, which no save changes.
func (b *branch) keepDamaged(files map[string][]byte) {
	for i := range b.ledger.Damaged {
		for _, kind := range []string{"instances/", "specs/", "previous/", "runs/", "decisions/"} {
			name := kind + b.ledger.Damaged[i].App.String()
			if text, ok := b.files[name]; ok {
				files[name] = text
			}
		}
	}
}

// revisionOf names the content of files.
func revisionOf(files map[string][]byte) model.Revision {
	h := sha1.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		h.Write([]byte(name))
		h.Write(files[name])
	}
	return model.Revision(h.Sum(nil))
}

const ruleDamaged = "nothing is decided about a damaged record"

// damagedRest: whoever cannot read what was decided about an application decides nothing about it.
func (w *World) damagedRest(p *process, previous, next *model.Ledger) {
	for i := range p.branch.ledger.Damaged {
		app := p.branch.ledger.Damaged[i].App
		was, _ := previous.Find(app)
		now, ok := next.Find(app)
		if !ok || model.DigestOf(was) != model.DigestOf(now) {
			w.violate(ruleDamaged, "%s decides about %s", p.name, app)
		}
	}
}

// damagedApps are the applications whose records are damaged.
func (w *World) damagedApps() (list []model.AppID) {
	for i := range w.origin.now().Damaged {
		list = append(list, w.origin.now().Damaged[i].App)
	}
	return list
}

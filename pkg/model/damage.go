package model

import (
	"fmt"
	"slices"
)

// DamagedRecord is a record of an application on the status branch that cannot be read.
// Nothing is decided about the application until the record is restored: what runs goes
// on, and what the last readable record grants counts as taken.
type DamagedRecord struct {
	App    AppID  `json:"application"`
	File   string `json:"file"`             // on the status branch
	Reason string `json:"reason"`           // what is wrong with it, in one line
	Commit string `json:"commit,omitempty"` // of the status branch, that damaged it; "": the history does not show which
}

// String names the file and says since when it is damaged, and what to do.
func (d *DamagedRecord) String() string { return d.File + " on the status branch is " + d.message() }

func (d *DamagedRecord) message() string {
	by := "damaged, and the history of the branch has no readable record before it: restore the file and push the branch"
	if d.Commit != "" {
		commit := d.Commit[:min(12, len(d.Commit))]
		by = fmt.Sprintf("damaged since commit %s; \"git revert %s\" on the status branch, and push", commit, commit)
	}
	return fmt.Sprintf("%s. It cannot be read: %s; until then nothing is decided about %s, and what runs of it stays", by, d.Reason, d.App)
}

// Problem reports the record beside the errors of the fleet repo.
func (d *DamagedRecord) Problem() Problem {
	return Problem{Code: CodeRecordDamaged, Path: d.File, Message: d.message(), Tenant: d.App.Tenant, App: d.App.Name}
}

// DamagedOf returns the damaged record of an application, nil if it has none.
func (l *Ledger) DamagedOf(app AppID) *DamagedRecord {
	d, _ := findSorted(l.Damaged, app)
	return d
}

// Damaged reports whether an application keeps exactly what it holds because its record is
// damaged: nothing that is decided about it can be carried out.
func (u *Unusable) Damaged() bool { return u != nil && u.Code == CodeRecordDamaged }

// AllProblems returns the problems that the ledger lists, and those of its damaged
// records, which it lists only once somebody has saved since.
func (l *Ledger) AllProblems() []Problem {
	all := l.Problems
	for i := range l.Damaged {
		if p := l.Damaged[i].Problem(); !slices.ContainsFunc(l.Problems, func(q Problem) bool { return q.Code == p.Code && q.Message == p.Message }) {
			all = append(slices.Clip(all), p)
		}
	}
	return all
}

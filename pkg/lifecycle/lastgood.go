package lifecycle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// A commit that removes removalMin or more of the applications that run, and
// more than removalShare thousandths of them, is held until a file confirms it. The
// sentence about it has removalNames of their names.
const (
	removalMin   = 3
	removalShare = 200
	removalNames = 5
)

// KeepLastGood completes a fleet with what the ledger remembers where Git cannot
// be used as it stands: an invalid platform or tenant layer is replaced by its
// last good one, and a mass removal is held back but for the instances whose removal a
// person has confirmed. Leaving are the applications that have a place and that
// nothing holds back.
func KeepLastGood(fleet model.Fleet, ledger model.Ledger, confirmed []model.InstanceID) (_ model.Fleet, leaving []model.AppID) {
	platformLost := fleet.Platform == nil
	if platformLost {
		fleet.Platform = ledger.Platform
	}
	declared := map[model.AppID]bool{}
	for i := range fleet.Applications {
		declared[fleet.Applications[i].ID] = true
	}
	for _, u := range fleet.Unusable {
		declared[u.App] = true
	}
	for i := range ledger.Damaged {
		declared[ledger.Damaged[i].App] = true
	}
	var running int
	var removed, confirmedly, waiting []model.InstanceID // that Git declares no more, with and without a place
	var held []model.InstanceID                          // of those removed: before, so that nothing but a file lets them go
	for i := range ledger.Instances {
		inst := &ledger.Instances[i]
		if inst.Phase.Active() {
			running++
		}
		switch {
		case declared[inst.App], inst.Withdrawn():
		case !inst.Phase.Active():
			waiting = append(waiting, inst.ID())
		case slices.Contains(confirmed, inst.ID()):
			confirmedly = append(confirmedly, inst.ID())
		default:
			removed = append(removed, inst.ID())
			if inst.Refused != nil && inst.Refused.Reason == model.ReasonRemovalHeld {
				held = append(held, inst.ID())
			}
		}
	}
	mass := len(removed) >= removalMin && len(removed)*1000 > running*removalShare
	unsure := len(declared) == 0 || platformLost
	if mass || unsure {
		held = removed
	}
	switch {
	case fleet.Incomplete:
		if all := slices.Concat(removed, confirmedly, waiting); len(all) > 0 {
			fleet = hold(fleet, all, catalogue.Unreadable, fmt.Sprintf("a part of this commit cannot be read, and %d applications are not in the rest of it; nothing is removed until all of it can be read", len(all)))
		}
	case len(held) > 0:
		fleet = hold(fleet, held, model.CodeRemovalHeld, unconfirmed(held))
	}
	for _, id := range append(confirmedly, removed...) {
		if !fleet.Incomplete && !slices.Contains(held, id) {
			leaving = append(leaving, id.App)
		}
	}
	return keepTenants(keepDamaged(keepTakingBack(fleet, ledger), ledger), ledger), leaving
}

// keepDamaged declares the applications with damaged records as unusable, whatever Git
// says of them, so that they stay.
func keepDamaged(fleet model.Fleet, ledger model.Ledger) model.Fleet {
	if len(ledger.Damaged) == 0 {
		return fleet
	}
	concerns := func(app model.AppID) bool { return ledger.DamagedOf(app) != nil }
	fleet.Applications = slices.DeleteFunc(slices.Clone(fleet.Applications), func(a *model.Application) bool { return concerns(a.ID) })
	fleet.Unusable = slices.DeleteFunc(slices.Clone(fleet.Unusable), func(u model.Unusable) bool { return concerns(u.App) })
	fleet.Problems = slices.Clone(fleet.Problems)
	for i := range ledger.Damaged {
		p := ledger.Damaged[i].Problem()
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: ledger.Damaged[i].App, Code: p.Code, Message: p.Message})
		fleet.Problems = append(fleet.Problems, p)
	}
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet
}

// unconfirmed says what nobody has confirmed of a mass removal, and how to. It counts
// nothing that changes by itself: the records have it.
func unconfirmed(left []model.InstanceID) string {
	return fmt.Sprintf("Git drops many running applications at once; these stay until files in approvals/<tenant>/%s name them: %s; \"reconciler confirm-removal\" writes the files, and a trailer Confirm-Removal does not count any more",
		model.RemovalsDir, text.Enumerate(left, removalNames))
}

// hold declares absent applications as unusable, so that they stay.
func hold(fleet model.Fleet, absent []model.InstanceID, code, message string) model.Fleet {
	fleet.Unusable = slices.Clone(fleet.Unusable)
	for _, id := range absent {
		fleet.Unusable = append(fleet.Unusable, model.Unusable{App: id.App, Code: code, Message: message})
	}
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	fleet.Problems = append(slices.Clip(fleet.Problems), model.Problem{Code: code, Message: message})
	return fleet
}

// keepTenants adds the last good layer of every tenant that is declared, or has
// applications, also such that are ending, but has no valid layer.
func keepTenants(fleet model.Fleet, ledger model.Ledger) model.Fleet {
	have := map[string]bool{}
	for i := range fleet.Tenants {
		have[fleet.Tenants[i].Name] = true
	}
	fleet.Tenants = slices.Clip(fleet.Tenants)
	lost := slices.Clone(fleet.UnusableTenants)
	for _, u := range fleet.Unusable {
		lost = append(lost, u.App.Tenant)
	}
	for i := range ledger.Instances {
		if inst := &ledger.Instances[i]; inst.Ending() {
			lost = append(lost, inst.App.Tenant)
		}
	}
	for _, name := range lost {
		if have[name] {
			continue
		}
		have[name] = true
		if t, ok := model.Find(ledger.Tenants, name); ok {
			fleet.Tenants = append(fleet.Tenants, *t)
		}
	}
	slices.SortFunc(fleet.Tenants, func(x, y model.Tenant) int { return cmp.Compare(x.Name, y.Name) })
	return fleet
}

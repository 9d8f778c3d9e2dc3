package lifecycle

import (
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// A Move is an application that Git has under another name now: it is gone, and another one
// of the same tenant came in the same pass with the same components, or with files that
// cannot be used, so that nobody knows what it has.
type Move struct {
	From, To model.AppID
	Waits    bool // From stays, because To has no place yet
}

// HoldMoves lets applications stay that move. Applications that are leaving, because Git
// declares them no more, hold nothing from now on; but one that moves stays until the
// application that it moves to gets a place. That may be the place which it leaves, so the
// two never wait for each other: whether it gets one is tried without the other. Only while
// something moves is there anything to try.
func HoldMoves(fleet model.Fleet, ledger *model.Ledger, leaving []model.AppID, try func(model.Fleet) model.Ruling) (model.Fleet, []Move) {
	moves := movesOf(&fleet, ledger, leaving)
	if len(moves) == 0 {
		return fleet, nil
	}
	if ruling := try(fleet); noneWaits(moves, &ruling) {
		return fleet, moves
	}
	if ruling := try(stay(fleet, moves)); !noneWaits(moves, &ruling) {
		for i := range moves { // what stays took the room of others that move: none leaves in this pass
			moves[i].Waits = true
		}
	}
	return stay(fleet, moves), moves
}

// noneWaits marks the moves whose new application is not granted a place, and reports
// whether there are no more of them than were marked before.
func noneWaits(moves []Move, ruling *model.Ruling) bool {
	none := true
	for i := range moves {
		d, found := slices.BinarySearchFunc(ruling.Decisions, moves[i].To, func(d model.Decision, id model.AppID) int { return d.App.Compare(id) })
		if granted := found && ruling.Decisions[d].Verdict == model.VerdictGranted; !granted && !moves[i].Waits {
			moves[i].Waits, none = true, false
		}
	}
	return none
}

// stay declares what waits for its move as unusable, so that it stays.
func stay(fleet model.Fleet, moves []Move) model.Fleet {
	fleet.Unusable = slices.Clone(fleet.Unusable)
	for _, m := range moves {
		if m.Waits {
			fleet.Unusable = append(fleet.Unusable, model.Unusable{App: m.From, Code: model.CodeMoveWaits, Message: m.String(), MovesTo: m.To})
		}
	}
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet
}

// String says what becomes of the two applications.
func (m Move) String() string {
	then := "ends, because that is admitted"
	if m.Waits {
		then = "goes on until that is admitted"
	}
	return fmt.Sprintf("Git has %s as %s now: %s %s; volumes and secrets do not follow", m.From, m.To, m.From.Name, then)
}

// movesOf finds the moves among the applications that are leaving. Nothing moves to two,
// and no two move to one.
func movesOf(fleet *model.Fleet, ledger *model.Ledger, leaving []model.AppID) (moves []Move) {
	taken := map[model.AppID]bool{}
	for _, id := range leaving {
		if inst, _ := ledger.Find(id); inst.Refused != nil {
			taken[inst.Refused.MovesTo] = true
		}
	}
	for _, id := range leaving {
		inst, _ := ledger.Find(id)
		best, to := 0, model.AppID{}
		consider := func(app model.AppID, wanted *model.Application) {
			if app.Tenant != id.Tenant {
				return
			}
			known, _ := ledger.Find(app)
			if r := movesTo(inst, known, app, wanted); r > best && (r == surely || !taken[app]) {
				best, to = r, app
			}
		}
		for _, a := range fleet.Applications {
			consider(a.ID, a)
		}
		for i := range fleet.Unusable {
			// A damaged record is there whatever Git says, so nothing has come in its name.
			if u := &fleet.Unusable[i]; !u.Damaged() || inst.Refused != nil && inst.Refused.MovesTo == u.App {
				consider(u.App, nil)
			}
		}
		if best > 0 {
			taken[to] = true
			moves = append(moves, Move{From: id, To: to})
		}
	}
	return moves
}

// How sure it is that an instance moves to an application.
const (
	perhaps = 1 + iota // it came in the same pass, and nobody knows what it has
	likely             // it came in the same pass with the same components
	surely             // the record says so
)

// movesTo returns how sure it is that an instance moves to an application, 0: it does not.
// Known is the record of that, wanted its spec, nil where its files cannot be used.
func movesTo(inst, known *model.Instance, app model.AppID, wanted *model.Application) int {
	var held model.Refusal
	if inst.Refused != nil {
		held = *inst.Refused
	}
	came := known == nil || known.Withdrawn() ||
		held.Reason == model.ReasonRemovalHeld && known.Declared.Equal(held.Since) // when the removal was held
	switch {
	case wanted != nil && (wanted.Desired == model.DesiredSuspended || wanted.Desired == model.DesiredTerminated), known != nil && known.Phase.Active():
		return 0
	case held.MovesTo == app:
		return surely
	case !came:
		return 0
	case wanted == nil:
		return perhaps
	case sameComponents(inst.Spec, wanted):
		return likely
	}
	return 0
}

// sameComponents reports whether two applications bring the same components to run, with
// their traits and files, and as many replicas.
func sameComponents(accepted, wanted *model.Application) bool {
	return accepted != nil && slices.EqualFunc(accepted.Components, wanted.Components, func(a, b model.Component) bool {
		return a.Replicas == b.Replicas && a.Content(accepted.ID) == b.Content(accepted.ID)
	})
}

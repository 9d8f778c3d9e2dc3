package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// maxRetry bounds the words of a person, in bytes.
const maxRetry = 200

// Retry returns the ledger in which the requests of people to try a release again have
// been handled, each once: the release is not on hold any more, so arbitration decides
// about it as about any other update. Commit is the one that Git declares.
func Retry(ledger model.Ledger, requests map[model.AppID][]model.Command, commit string, now time.Time) model.Ledger {
	if len(requests) == 0 {
		return ledger
	}
	cloned := false
	for i := range ledger.Instances {
		commands, asked := requests[ledger.Instances[i].App]
		if !asked || ledger.DamagedOf(ledger.Instances[i].App) != nil || !slices.ContainsFunc(commands, func(c model.Command) bool { return !c.HandledIn(ledger.Instances[i].Retries) }) {
			continue
		}
		if !cloned {
			ledger.Instances, ledger.Revision, cloned = slices.Clone(ledger.Instances), model.Revision{}, true
		}
		retry(&ledger.Instances[i], commands, commit, now)
	}
	return ledger
}

// retry handles the requests about one application.
func retry(in *model.Instance, commands []model.Command, commit string, now time.Time) {
	in.Revision = model.Revision{}
	in.Retries = slices.DeleteFunc(slices.Clone(in.Retries), func(h model.Handled) bool {
		return !slices.ContainsFunc(commands, func(c model.Command) bool { return c.ID() == h.ID })
	})
	for _, c := range commands {
		if c.HandledIn(in.Retries) {
			continue
		}
		refused := refusesRetry(in, c.Release)
		in.Retries = append(in.Retries, model.Handled{
			ID: c.ID(), Release: c.Release, Action: c.Action, By: c.By, Commit: c.Commit, Refused: refused, At: now,
		})
		if refused == "" {
			lift(in, c, commit, now)
		}
	}
}

// AskRetry returns the command by which a person has the release tried again that Git
// declares and that is on hold, or why it would be refused.
func AskRetry(in *model.Instance) (c model.Command, refused string) {
	c.Action = model.CommandRetry
	if in.Refused != nil && in.Refused.Reason == model.ReasonRolledBackSpec {
		c.Release = in.Refused.Spec
	}
	if c.Release == "" && len(in.Held) > 0 && in.Phase.Active() {
		return c, fmt.Sprintf("Git does not declare a release of %s that is on hold; commit it again first", in.App)
	}
	return c, refusesRetry(in, c.Release)
}

// refusesRetry returns why a release of an application cannot be tried again now, "" if
// it can.
func refusesRetry(in *model.Instance, release model.Digest) string {
	switch {
	case slices.Contains(in.Held, release) && in.Phase.Active():
		return ""
	case !in.Phase.Active():
		return fmt.Sprintf("%s is %s: nothing of it is on hold", in.App, in.Phase)
	case len(in.Held) == 0:
		return fmt.Sprintf("%s has no release on hold", in.App)
	}
	held := make([]string, len(in.Held))
	for i, d := range in.Held {
		held[i] = d.Short()
	}
	return fmt.Sprintf("release %s of %s is not on hold; on hold: %s", release.Short(), in.App, text.Enumerate(held, heldLimit))
}

// lift takes a release off hold. If its run has ended, that run takes no more part: the
// release gets a new one.
func lift(in *model.Instance, c model.Command, commit string, now time.Time) {
	in.Held = slices.DeleteFunc(slices.Clone(in.Held), func(d model.Digest) bool { return d == c.Release })
	if in.Refused != nil && in.Refused.Spec == c.Release {
		in.Refused = nil
	}
	if run := in.Run; run != nil && run.Phase.Ended() && run.Spec == c.Release && run.Superseded == "" {
		ended := *run
		ended.Superseded = in.Release()
		in.Run = &ended
	}
	why := strings.TrimSuffix(fmt.Sprintf("release %s is tried again, as %s asked: %s", c.Release.Short(), c.By, c.Why), ": ")
	t := model.Transition{
		At: now, Instance: in.Number, From: in.Phase, To: in.Phase, Reason: Lifts[0].Reason, Message: text.Line(why, maxRetry), Commit: commit,
	}
	in.History = append(slices.Clip(in.History), t)
	in.History = in.History[max(0, len(in.History)-model.HistoryLimit):]
}

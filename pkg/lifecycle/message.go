package lifecycle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// message describes a transition to people.
func (f *facts) message(r *Rule) string {
	switch r.Reason {
	case model.ReasonDeclared, model.ReasonResumed, model.ReasonReturned:
		return r.If
	case model.ReasonRemoved, model.ReasonStopped, model.ReasonSuspended:
		return endText(f.inst, r.If, r.Reason)
	case model.ReasonQuarantined:
		return endText(f.inst, asideText(f.inst, f.now), r.Reason)
	case model.ReasonFailedTooOften, model.ReasonRestarted:
		return r.If + ": " + tooOftenText(f.inst, f.now)
	case model.ReasonRolledBack:
		if often := tooOftenText(f.inst, f.now); often != "" {
			return r.If + ": " + often
		}
	case model.ReasonUpdateAdmitted:
		return "update to the spec of commit " + model.Digest(cmp.Or(f.git.spec.Commit, f.git.commit)).Short() + ": " + f.decision.Message
	case model.ReasonAdmissionChanged:
		return model.AdmissionText(model.AdmissionChanges(f.inst.Spec, f.git.spec))
	case model.ReasonAdmissionPassed:
		return "quota, limits and policies admit it"
	case model.ReasonGranted, model.ReasonEvicted, model.ReasonOverdue, "":
		if f.decision != nil {
			return f.decision.Message
		}
	case model.ReasonUpdateRefused:
		return f.refusal().Message
	case model.ReasonReady, model.ReasonRecovered:
		if parts := unready(f.inst); parts != "" {
			return "everything critical runs as granted; " + parts
		}
		return "everything runs as granted"
	case model.ReasonNotReady:
		return unready(f.inst)
	case model.ReasonWorkflowBegun, model.ReasonWorkflowFailed, model.ReasonWorkflowStopped:
		return r.If + runText(f.inst)
	}
	if unfinished(f.inst) {
		return r.If + runText(f.inst)
	}
	if refused := outcomeText(f.inst); refused != "" {
		return r.If + ": " + refused
	}
	if parts := unready(f.inst); parts != "" {
		return r.If + ": " + parts
	}
	return r.If
}

// runText is what the run of the accepted spec adds to a message.
func runText(inst *model.Instance) string {
	run := runOf(inst)
	if run == nil {
		return ""
	}
	text := ""
	if run.Message != "" {
		text = ": " + run.Message
	}
	for i := range run.Steps {
		if s := &run.Steps[i]; s.Phase == model.StepFailed && s.Message != "" {
			if !strings.Contains(run.Message, "step "+s.Name) {
				text += ": step " + s.Name
			}
			return text + fmt.Sprintf(", attempt %d: %s", max(s.Attempt, 1), s.Message)
		}
	}
	return text
}

func asideText(inst *model.Instance, now time.Time) string {
	failed := inst.FailedStarts + 1
	return fmt.Sprintf("%d starts in a row failed; it holds nothing and comes back at %s, or as soon as its spec changes",
		failed, returnTime(inst, failed, now).UTC().Format(time.RFC3339))
}

// endText explains why an instance ends, and whether its volumes are kept.
func endText(inst *model.Instance, why string, reason model.Reason) string {
	volumes := volumesOf(inst)
	if volumes == "" {
		return why
	}
	ended := model.Instance{Phase: model.PhaseTerminated, Reason: reason, Spec: inst.Spec}
	if ended.DeletesData() {
		return why + "; its volumes are deleted: " + volumes
	}
	return why + "; its volumes are kept: " + volumes
}

// volumesOf names the persistent volumes of the accepted spec.
func volumesOf(inst *model.Instance) string {
	if inst.Spec == nil {
		return ""
	}
	var names []string
	for i := range inst.Spec.Components {
		var traits struct {
			Storage []struct{ Name, Type string }
		}
		c := &inst.Spec.Components[i]
		if len(c.Traits) == 0 || json.Unmarshal(c.Traits, &traits) != nil {
			continue
		}
		for _, v := range traits.Storage {
			if v.Type == "persistent" {
				names = append(names, c.Name+"/"+v.Name)
			}
		}
	}
	return strings.Join(names, ", ")
}

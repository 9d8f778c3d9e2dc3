package workflow

import (
	"cmp"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// Intent is a request of a run to the outside, to be carried out once. What components
// run is not among these. Its key never means two things; doing it twice is harmless
// where the doer keeps the key: a job by its name, a receiver by the event.
type Intent struct {
	Key      string    `json:"key"`
	Step     string    `json:"step"`
	Deadline time.Time `json:"deadline"` // no step waits for a result after it

	Job    *Job    `json:"job,omitempty"`
	Probe  *Probe  `json:"probe,omitempty"`
	Notice *Notice `json:"notice,omitempty"`
}

// Job is a finite component to be run once.
type Job struct {
	Component string        `json:"component"`
	Spec      model.Digest  `json:"spec"` // release of the application that the component is of
	Inputs    []model.Value `json:"inputs,omitempty"`
	Lock      string        `json:"lock,omitempty"` // that the step holds
}

// Probe is a question: a URL, or a query and the Prometheus server to send it to.
type Probe struct {
	URL        string `json:"url,omitempty"`
	Prometheus string `json:"prometheus,omitempty"`
	Query      string `json:"query,omitempty"`
}

// Notice is a message to be delivered and signed.
type Notice struct {
	URL    string `json:"url"`
	Secret string `json:"secret,omitempty"` // name of the key to sign with

	// Event is the same for every attempt to deliver the message, so that a
	// receiver can tell a repetition from news.
	Event   string        `json:"event"`
	App     model.AppID   `json:"application"`
	Run     model.Digest  `json:"run"`
	Spec    model.Digest  `json:"spec"`
	Message string        `json:"message,omitempty"`
	Inputs  []model.Value `json:"inputs,omitempty"`
	Steps   []NoticeStep  `json:"steps,omitempty"` // that it depends on
}

// NoticeStep is how a step ended.
type NoticeStep struct {
	Name    string          `json:"name"`
	Phase   model.StepPhase `json:"phase"`
	Message string          `json:"message,omitempty"`
}

// Intents returns the requests of a saved run of the given spec. Which probe is out, the
// tallies that were handed on with the run say: without them, no probe is. What
// is still being done by other keys of the application's runs is to be ended first:
// no step waits for it any more, and its lock may have passed on. Finished jobs may
// stay.
func Intents(run *model.Run, spec *model.Application, tallies Tallies) (intents []Intent) {
	if run.Phase.Ended() || spec == nil || len(flow(spec).Steps) != len(run.Steps) {
		return nil
	}
	for i := range run.Steps {
		rec, decl := &run.Steps[i], &spec.Workflow.Steps[i]
		if u := rec.Undo; u != nil && u.Phase == model.StepActive && u.Component != "" {
			intents = append(intents, Intent{
				Key: undoKey(run, rec), Step: rec.Name, Deadline: u.Deadline,
				Job: &Job{Component: u.Component, Spec: run.Spec, Inputs: rec.Inputs, Lock: decl.Lock},
			})
		}
		if rec.Phase != model.StepActive {
			continue
		}
		k := kindOf(decl)
		intent, asks := tallies.probe(run, rec, k.asks())
		if !asks {
			intent = k.intent(run, decl, rec)
		}
		if intent.Key != "" {
			intent.Step, intent.Deadline = rec.Name, rec.Deadline
			intents = append(intents, intent)
		}
	}
	return intents
}

// Finished returns the jobs of the latest attempts that have ended by themselves.
// People may want to see their logs.
func Finished(run *model.Run) (jobs []Intent) {
	for _, rec := range run.Steps {
		if rec.Job != "" && finished(rec.Phase, rec.Message) {
			jobs = append(jobs, Intent{Key: cmp.Or(rec.Key, keyOf(run, &rec)), Step: rec.Name, Job: &Job{Component: rec.Job, Spec: run.Spec}})
		}
		if u := rec.Undo; u != nil && u.Component != "" && finished(u.Phase, u.Message) {
			jobs = append(jobs, Intent{Key: undoKey(run, &rec), Step: rec.Name, Job: &Job{Component: u.Component, Spec: run.Spec}})
		}
	}
	return jobs
}

// finished reports whether an attempt ended by what its job reported, and not by a
// timeout.
func finished(phase model.StepPhase, message string) bool {
	switch phase {
	case model.StepSucceeded:
		return true
	case model.StepFailed, model.StepRetrying:
		return !strings.HasPrefix(message, ClassTimeout+":") && !strings.HasPrefix(message, classExpired+":") && !strings.HasPrefix(message, "not taken back")
	}
	return false
}

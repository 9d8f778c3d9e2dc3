package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/status"
)

// HistoryEntry is one commit of the status branch that changed the record of an application.
type HistoryEntry struct {
	Commit       string                  `json:"commit"` // of the status branch
	Time         time.Time               `json:"time"`
	Subject      string                  `json:"subject"`
	Unverified   string                  `json:"unverified,omitempty"` // why no trusted key vouches for the commit, where keys are given
	SourceCommit string                  `json:"sourceCommit,omitempty"`
	Transitions  []announce.Announcement `json:"transitions"`
	Steps        []announce.Announcement `json:"steps,omitempty"` // of its workflow, and all else that changed

	// Causes maps source commits to their author and subject. It has those that the clone knows.
	Causes map[string]string `json:"causes,omitempty"`
}

// History returns the first most of the commits. Unless all is set it leaves out commits without a transition of the
// application, a run or a step.
func History(commits []status.Entry, most int, all bool) []HistoryEntry {
	entries := []HistoryEntry{} // [] and not null in JSON, as for the transitions below
	for _, c := range commits {
		if len(entries) == most {
			break
		}
		if all || len(c.Changes) > 0 {
			e := HistoryEntry{
				Commit: c.Commit, Time: c.Time, Subject: c.Subject, SourceCommit: c.SourceCommit,
				Transitions: []announce.Announcement{},
			}
			for _, a := range c.Changes {
				if a.Kind == announce.Transition || a.Kind == announce.Admission {
					e.Transitions = append(e.Transitions, a)
				} else {
					e.Steps = append(e.Steps, a)
				}
			}
			entries = append(entries, e)
		}
	}
	return entries
}

// AddCauses notes in each entry what is known of its source commits.
func AddCauses(entries []HistoryEntry, known map[string]string) {
	for i := range entries {
		e := &entries[i]
		for _, t := range e.Transitions {
			if cause, ok := known[t.Commit]; ok {
				if e.Causes == nil {
					e.Causes = map[string]string{}
				}
				e.Causes[t.Commit] = cause
			}
		}
	}
}

// Events returns the last most of the events, and how many earlier ones that leaves out.
func Events(events []status.Event, most int) (last []status.Event, earlier int) {
	earlier = max(0, len(events)-most)
	return append([]status.Event{}, events[earlier:]...), earlier // [] and not null in JSON
}

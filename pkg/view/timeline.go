package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/status"
)

// MaxChanges bounds the changes that are listed of one commit of a timeline.
const MaxChanges = 20

// Timeline is a page of the commits of the status branch, the newest first.
type Timeline struct {
	Commits []TimelineCommit `json:"commits"`
	Next    string           `json:"next"` // the commit to pass as the one before which to go on, "" if the history ends here
}

// TimelineCommit is one commit of the status branch.
type TimelineCommit struct {
	Commit       string                  `json:"commit"`
	Time         time.Time               `json:"time"`
	SourceCommit string                  `json:"sourceCommit,omitempty"`
	Subject      string                  `json:"subject"`
	Unverified   string                  `json:"unverified,omitempty"` // why no trusted key vouches for the commit, where keys are given
	Transitions  int                     `json:"transitions"`
	Changes      []announce.Announcement `json:"changes"` // the first MaxChanges
	ChangesTotal int                     `json:"changesTotal"`
}

// TimelineOf returns a page of the commits that were read. Doubt says why no trusted key vouches for a commit, "" if one does.
func TimelineOf(read []status.Entry, next string, doubt func(commit string) string) Timeline {
	v := Timeline{Commits: []TimelineCommit{}, Next: next}
	for i := range read {
		e := &read[i]
		c := TimelineCommit{
			Commit: e.Commit, Time: e.Time, SourceCommit: e.SourceCommit, Subject: e.Subject, Unverified: doubt(e.Commit), ChangesTotal: len(e.Changes),
			Changes: append([]announce.Announcement{}, e.Changes[:min(len(e.Changes), MaxChanges)]...),
		}
		for n := range e.Changes {
			if e.Changes[n].Kind == announce.Transition {
				c.Transitions++
			}
		}
		v.Commits = append(v.Commits, c)
	}
	return v
}

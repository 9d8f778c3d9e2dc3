package view

import (
	"time"

	"github.com/d-aros/d-aros/pkg/announce"
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

// Changed notes what a commit changed.
func (c *TimelineCommit) Changed(changes []announce.Announcement) {
	c.ChangesTotal = len(changes)
	for i := range changes {
		if changes[i].Kind == announce.Transition {
			c.Transitions++
		}
	}
	c.Changes = append([]announce.Announcement{}, changes[:min(len(changes), MaxChanges)]...)
}

// TimelineOf returns a page of at most limit commits of those that were read, which are one more if the history goes on.
func TimelineOf(commits []TimelineCommit, limit int) Timeline {
	v := Timeline{Commits: append([]TimelineCommit{}, commits[:min(len(commits), limit)]...)}
	if len(commits) > limit {
		v.Next = commits[limit-1].Commit
	}
	return v
}

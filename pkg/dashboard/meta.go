package dashboard

import (
	"net/http"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/view"
)

// Meta is what the dashboard says of itself and of its last look at the branch.
type Meta struct {
	Version      string    `json:"version"`
	Repo         string    `json:"repo"`
	Branch       string    `json:"branch"`
	Commit       string    `json:"commit"`            // the newest one of the branch, "": there is no branch yet
	Changed      time.Time `json:"changed,omitzero"`  // the time of that commit
	Looked       time.Time `json:"looked,omitzero"`   // when looking last succeeded
	Error        string    `json:"error"`             // why looking fails now
	WhatIf       bool      `json:"whatIf"`            // it can be asked
	Plans        bool      `json:"plans"`             // of heads can be asked
	Edit         bool      `json:"edit"`              // drafts can be previewed and saved
	Saves        Saving    `json:"saves"`             // where to: here, push or propose
	Live         bool      `json:"live"`              // objects, events and logs of a cluster can be seen
	SourceCommit string    `json:"sourceCommit"`      // that the newest commit is about
	Base         string    `json:"base,omitempty"`    // that drafts start from: the last commit of the clone
	Unverified   string    `json:"unverified"`        // of the newest commit
	User         string    `json:"user,omitempty"`    // who asks, where several people share the dashboard
	SignOut      string    `json:"signOut,omitempty"` // where a POST ends that, where people sign in here

	Reconciler *Standing `json:"reconciler,omitempty"` // what the reconciler says of itself, where it is asked

	Links model.Links `json:"links"` // templates of where to look further
}

func (s *Server) meta(w http.ResponseWriter, r *http.Request) error {
	m, _ := s.follower.tip()
	looked, failed := s.follower.state()
	v := Meta{Version: s.Version, Repo: s.Repo, Branch: s.Name, Looked: looked, WhatIf: s.workers != nil, Plans: s.Proposals != nil, Edit: s.drafts() && !s.ReadOnly && s.mayBeSaved(), Saves: s.Saves, Live: s.viewings != nil, User: of(r).who.User, Base: s.follower.start(), Reconciler: s.Reconciler.standing(), Links: s.Links}
	if s.SignIn != nil {
		v.SignOut = signOutPath
	}
	if m != nil {
		v.Commit, v.Changed, v.SourceCommit, v.Unverified = m.Commit, m.Time, m.Ledger.Commit, m.Unverified
		v.Links = m.Ledger.LinksOr(s.Links)
	}
	if failed != nil {
		v.Error = text.Line(failed.Error(), maxSentence)
	}
	body, err := view.JSON(v)
	if err != nil {
		return err
	}
	w.Header().Set("Daros-Status-Commit", v.Commit)
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, http.StatusOK, body)
	return nil
}

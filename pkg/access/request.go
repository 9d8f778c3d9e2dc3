package access

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Requests are the requests of people in the files of a commit: to runs of workflows, and
// to let instances go.
type Requests struct {
	List     []Request          // in the order of the commits that brought them
	Removals []model.InstanceID // whose removal is confirmed, in order; whoever committed that may
	Problems []model.Problem    // of files that are no valid requests
}

// Request is a file with requests, and the commit that brought it.
type Request struct {
	App    model.AppID
	File   string
	Asks   []model.Command // without requester and commit
	Commit Commit

	Brought *Commit // as in Origin
}

// MaxOrigins bounds how many commits are looked at for the origins of files.
const MaxOrigins = 10_000

// Origin is the commit that last changed a file.
type Origin struct {
	File   string
	Commit Commit // without Paths

	// Brought is the commit that changed the file on the branch that Commit merges, nil
	// if Commit is no merge. It says who asks if a Git host made the merge.
	Brought *Commit
}

// Commands returns the requests with their commit, without the requester.
func (r *Request) Commands() []model.Command {
	commands := slices.Clone(r.Asks)
	for i := range commands {
		commands[i].Commit = r.Commit.Hash
	}
	return commands
}

// maxAuthor bounds the name of an author, in bytes.
const maxAuthor = 200

// Commands returns the requests with their commit and requester: the signer of the
// commit or, where a Git host merged it, of the commit on its branch, with their roles for the application at the time now, or the author whom the
// commit names, without roles.
func (p *Policy) Commands(r *Request, now time.Time) []model.Command {
	c := r.Commit
	if signers, v := p.signers(c, now); v == nil && p.holders[signers[0]].merges && r.Brought != nil {
		c = *r.Brought
	}
	by, roles, violation := p.Identify(c, r.App, now)
	if violation != nil {
		by, roles = text.Line(c.Author, maxAuthor), nil
	}
	commands := r.Commands()
	for i := range commands {
		commands[i].By, commands[i].Roles = by, roles
	}
	return commands
}

package access

import (
	"slices"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// Requests is what people ask of runs of workflows by the files of a commit.
type Requests struct {
	List     []Request       // in the order of the commits that brought them
	Problems []model.Problem // files that ask nothing, and why
}

// Request is a file by which people ask something, and the commit that brought it.
type Request struct {
	App    model.AppID
	File   string
	Asks   []model.Command // neither who asks nor the commit is set
	Commit Commit
}

// MaxOrigins bounds how many commits are looked at for the origins of files.
const MaxOrigins = 10_000

// Origin is the commit that made a file what it is.
type Origin struct {
	File   string
	Commit Commit // without Paths
}

// Commands returns what is asked, by which commit. It does not tell who asks.
func (r *Request) Commands() []model.Command {
	commands := slices.Clone(r.Asks)
	for i := range commands {
		commands[i].Commit = r.Commit.Hash
	}
	return commands
}

// maxAuthor bounds the name of an author, in bytes.
const maxAuthor = 200

// Commands returns what is asked, by which commit and by whom: the signer of the
// commit, with the roles that they have for the application at the time now, or the
// author whom the commit names, without any.
func (p *Policy) Commands(r *Request, now time.Time) []model.Command {
	by, roles, violation := p.Identify(r.Commit, r.App, now)
	if violation != nil {
		by, roles = text.Line(r.Commit.Author, maxAuthor), nil
	}
	commands := r.Commands()
	for i := range commands {
		commands[i].By, commands[i].Roles = by, roles
	}
	return commands
}

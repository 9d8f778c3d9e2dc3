package dashboard

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/view"
)

// heads answers with what may be merged.
func (s *Server) heads(w http.ResponseWriter, r *http.Request) error {
	if s.Proposals == nil {
		return errNoClone
	}
	ctx, stop := context.WithTimeoutCause(r.Context(), s.answerIn, errTooLong)
	defer stop()
	v, err := s.readable(ctx, of(r).reads)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return err
	}
	return sendJSON(w, r, v)
}

// errNoHead is the answer for a head that is not there, and for one that may not be read.
var errNoHead = errors.New("there is no such branch, or it changes what you may not read")

// readable returns the heads that somebody may read: names, authors and subjects say anything, so those are heads that change nothing
// but files of tenants that may be read.
func (s *Server) readable(ctx context.Context, r access.Reading) (view.Heads, error) {
	v, err := s.Proposals.Heads(ctx)
	if err != nil || r.All {
		return v, err
	}
	commits := make([]string, len(v.Heads))
	for i, h := range v.Heads {
		commits[i] = h.Commit
	}
	touched, err := s.Proposals.Touches(ctx, commits)
	own := v.Heads
	v.Heads = []view.Head{}
	for i := range touched {
		if staysWithin(touched[i], r) {
			v.Heads = append(v.Heads, own[i])
		}
	}
	return v, err
}

// find returns the head of a name. One that may not be read is not there.
func (s *Server) find(ctx context.Context, name string, r access.Reading) (head view.Head, base string, err error) {
	head, base, err = s.Proposals.Find(ctx, name)
	if !r.All {
		var touched [][]string
		if err == nil {
			touched, err = s.Proposals.Touches(ctx, []string{head.Commit})
		}
		if err != nil || !staysWithin(touched[0], r) {
			err = errNoHead
		}
	}
	return head, base, blame(http.StatusNotFound, err)
}

// staysWithin reports whether a merge that changes these files changes only those of tenants that may be read, and some.
func staysWithin(touched []string, r access.Reading) bool {
	return len(touched) > 0 && !slices.ContainsFunc(touched, func(path string) bool { return !r.ReadsFile(path) })
}

package dashboard

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/view"
)

// many proposes 300 heads, each second one of acme, and counts how often somebody asks what they change.
type many struct {
	*proposed
	asked int
}

func (m *many) Heads(context.Context) (view.Heads, error) {
	v := view.Heads{Base: "main"}
	for i := range 300 {
		v.Heads = append(v.Heads, view.Head{Name: "h" + strconv.Itoa(i), Commit: strconv.Itoa(i)})
	}
	return v, nil
}

func (m *many) Touches(_ context.Context, commits []string) ([][]string, error) {
	m.asked++
	touched := make([][]string, len(commits))
	for i := range touched {
		touched[i] = []string{[]string{"tenants/acme/", "tenants/globex/"}[i%2]}
	}
	return touched, nil
}

// A list of heads for somebody who may read one tenant asks once what all of them change, as each
// question costs a run of git.
func TestHeadsAskOnceWhatTheyChange(t *testing.T) {
	m := &many{proposed: newProposed()}
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	s.Proposals = m
	v, err := s.readable(t.Context(), access.Reading{Tenants: []string{"acme"}})
	require.NoError(t, err)
	require.Len(t, v.Heads, 150)
	require.Equal(t, 1, m.asked)
}

package inprocess

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

var asked, hired atomic.Int32

// echo answers with the request, and counts.
type echo struct{ known bool }

func (e *echo) Answer(request []byte) ([]byte, error) {
	if !e.known {
		e.known = true
		hired.Add(1)
	}
	asked.Add(1)
	if len(request) == 0 {
		return nil, errors.New("an empty request")
	}
	return request, nil
}

func TestBackendsShareAnswersAndWorkers(t *testing.T) {
	for range 3 {
		answer, err := By[echo]().Evaluate("acme", "key", []byte("a"))
		require.NoError(t, err)
		require.Equal(t, "a", string(answer))
		answer[0] = 'b' // hurts nobody else
	}
	require.EqualValues(t, 1, asked.Load())
	for range 2 {
		_, err := By[echo]().Evaluate("acme", "key", nil)
		require.ErrorContains(t, err, "an empty request", "is not remembered")
	}
	require.EqualValues(t, 3, asked.Load())
	require.EqualValues(t, 1, hired.Load())
}

func TestSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for i := range byte(16) {
		all.Go(func() {
			for n := range byte(100) {
				answer, err := By[echo]().Evaluate("", "", []byte{i % 4, n, 1})
				require.NoError(t, err)
				require.Equal(t, []byte{i % 4, n, 1}, answer)
			}
		})
	}
	all.Wait()
}

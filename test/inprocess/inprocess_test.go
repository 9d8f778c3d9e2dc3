package inprocess

import (
	"errors"
	"fmt"
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
	before, workers := asked.Load(), hired.Load()
	news := fmt.Sprint("news ", before) // to the other rounds of -count, too
	for range 3 {
		answer, err := By[echo]().Evaluate("acme", "key", []byte(news))
		require.NoError(t, err)
		require.Equal(t, news, string(answer))
		answer[0] = 'b' // hurts nobody else
	}
	require.EqualValues(t, 1, asked.Load()-before)
	for range 2 {
		_, err := By[echo]().Evaluate("acme", "key", nil)
		require.ErrorContains(t, err, "an empty request", "is not remembered")
	}
	require.EqualValues(t, 3, asked.Load()-before)
	require.LessOrEqual(t, hired.Load()-workers, int32(1))
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

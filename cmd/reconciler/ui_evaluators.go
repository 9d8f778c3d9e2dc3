package main

import (
	"sync/atomic"
	"time"

	"github.com/d-aros/d-aros/pkg/offline"
)

// maxEvaluatorMemory is what the children may use together that evaluate one answer.
const maxEvaluatorMemory = 1 << 30

// uiEvaluators count the CPU time that children have worked.
type uiEvaluators struct{ worked atomic.Int64 }

// Worked returns it.
func (e *uiEvaluators) Worked() time.Duration { return time.Duration(e.worked.Load()) }

// of returns options whose children are counted, and limited.
func (e *uiEvaluators) of(o offline.Options) offline.Options {
	o.Memory = maxEvaluatorMemory
	o.Worked = func(work time.Duration) { e.worked.Add(int64(work)) }
	return o
}

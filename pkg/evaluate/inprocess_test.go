package evaluate

import "github.com/d-aros/d-aros/test/inprocess"

// New returns an evaluator that evaluates in this process, without limits.
func New() *Evaluator { return Through(inProcess()) }

func inProcess() inprocess.Backend { return inprocess.By[Worker]() }

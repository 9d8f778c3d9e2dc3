package reconcile

import (
	"os"
	"testing"

	"github.com/d-aros/d-aros/test/evaluators"
)

func TestMain(m *testing.M) { os.Exit(evaluators.Main(m)) }

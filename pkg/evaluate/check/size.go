package check

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// What a few lines of CUE may come to. Everything that is made of an application or a tenant outside the children that
// evaluate takes time and memory in proportion to it, and a file of the status branch has 4 MiB: one that is larger would
// keep everybody's from being written. docs/evaluation.md states these.
const (
	maxApplication = 2 << 20 // as it is written to the status branch, with digests in place of secrets
	maxTenant      = 1 << 20 // its policy is written with each of its applications, too
	maxComponents  = 500     // each has a part in several records
)

// ApplicationSize refuses an application that is too large.
func ApplicationSize(a *model.Application, own *layer.Layer) (problems []model.Problem) {
	if n := len(a.Components); n > maxComponents {
		problems = append(problems, own.Blame(catalogue.LargeApplication, "application.components", fmt.Sprintf("has %d components, at most %d are allowed", n, maxComponents)))
	}
	if size := written(a.Redact()); size > maxApplication {
		problems = append(problems, own.Blame(catalogue.LargeApplication, "application", tooLarge(size, maxApplication)))
	}
	return problems
}

// TenantSize refuses a tenant that is too large.
func TenantSize(t *model.Tenant, own *layer.Layer) []model.Problem {
	if size := written(t); size > maxTenant {
		return []model.Problem{own.Blame(catalogue.LargeTenant, "tenant", tooLarge(size, maxTenant))}
	}
	return nil
}

func tooLarge(size, most int) string {
	return fmt.Sprintf("has %d KiB when it is worked out, at most %d KiB are allowed", size>>10, most>>10)
}

// written is the size of a value as the status branch has it.
func written(v any) int {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	_ = e.Encode(v) // into memory
	return b.Len()
}

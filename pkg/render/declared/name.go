package declared

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// MaxName is the length of the names of objects. Controllers append to them (a Job of a CronJob, a
// revision of a StatefulSet), and the result must be valid as a label.
const MaxName = 52

// Join joins parts to a name of at most limit characters. A longer name is cut, and
// ends with its digest.
func Join(limit int, parts ...string) string {
	name := strings.Join(parts, "-")
	if len(name) <= limit {
		return name
	}
	return strings.TrimRight(name[:limit-9], "-") + "-" + model.DigestOf(name).Short()
}

// SystemNames begin the names of objects that are not for tenants.
const SystemNames = "d-aros"

package render

import (
	"encoding/json"

	"github.com/d-aros/d-aros/pkg/model"
)

// Told is what a runtime was told about a component beside its content: with that, a
// grant and a number of replicas make its model.WorkloadDigest.
type Told struct {
	model.Grant
	Before  *model.Grant  `json:"before,omitempty"`  // that it still runs with, of a release that another one replaces
	Run     int           `json:"run"`               // replicas that may run now
	Traffic model.Traffic `json:"traffic,omitempty"` // of a newer version beside a stable one: which of them get requests
}

// String returns the value of AnnotationGrant. Grants in it are as the component is placed by them: what the digest of the
// workload leaves out is left out, so an object does not change without it.
func (t Told) String() string {
	encoded, err := json.Marshal(t)
	if err != nil {
		panic("render: encode a grant: " + err.Error()) // of numbers and names
	}
	return string(encoded)
}

// ParseTold reads the value of AnnotationGrant, which anybody with access to the
// cluster can change. It reports whether it is one.
func ParseTold(s string) (t Told, ok bool) {
	if len(s) > maxTold || json.Unmarshal([]byte(s), &t) != nil {
		return Told{}, false
	}
	return t, t.Component != "" && t.Replicas >= 0 && t.Run >= 0
}

// maxTold bounds what ParseTold reads, in bytes.
const maxTold = 4 << 10

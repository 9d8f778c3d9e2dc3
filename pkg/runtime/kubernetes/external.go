package kubernetes

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// externalSecret judges an object of which External Secrets Operator makes a Secret. To
// kstatus it is current before the operator has looked at it, and while its condition is
// still that of an earlier spec.
func externalSecret(u *unstructured.Unstructured) summary {
	all := conditions(u)
	i := slices.IndexFunc(all, func(c condition) bool { return c.kind == "Ready" })
	if i < 0 {
		return summary{why: "External Secrets Operator has not looked at it"}
	}
	made := strings.HasPrefix(stringAt(u, "status", "syncedResourceVersion"), fmt.Sprintf("%d-", u.GetGeneration()))
	if all[i].status == "True" {
		return summary{current: made && current(u)}
	}
	why := text.Line(all[i].reason+": "+apply.WithoutValues(all[i].message), maxSentence)
	if made {
		return summary{why: why} // the Secret is there, and grows old
	}
	return summary{failure: model.Failure{Class: model.ClassApplication, Reason: SecretMissing,
		Message: text.Line("Secret "+stringAt(u, "spec", "target", "name")+" is not made: "+why, maxSentence)}}
}

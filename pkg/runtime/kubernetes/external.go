package kubernetes

import (
	"fmt"
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
	c := conditionOf(u, "Ready")
	if c.kind == "" {
		return summary{why: "External Secrets Operator has not looked at it"}
	}
	made := strings.HasPrefix(str(u.Object, "status", "syncedResourceVersion"), fmt.Sprintf("%d-", u.GetGeneration()))
	if c.status == "True" {
		return summary{current: made && current(u)}
	}
	why := text.Line(c.reason+": "+apply.WithoutValues(c.message), maxSentence)
	if made {
		return summary{why: why} // the Secret is there, and grows old
	}
	return summary{failure: failureOf(model.ClassApplication, SecretMissing, "Secret "+str(u.Object, "spec", "target", "name")+" is not made: "+why)}
}

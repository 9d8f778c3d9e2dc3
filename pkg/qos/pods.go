package qos

import (
	"fmt"
	"regexp"
	"strings"
)

// Pods selects one container of the pods that a controller of Kubernetes makes, by what
// the kubelet knows of them. Labels do not count: whoever makes a pod writes them.
type Pods struct {
	Namespace string   `json:"namespace" yaml:"namespace"`
	Kind      string   `json:"kind" yaml:"kind"`   // of the controller, such as Deployment
	Names     []string `json:"names" yaml:"names"` // of the controllers
	Container string   `json:"container" yaml:"container"`
}

// cutName is the length of a pod's name of which a part in the middle is missing: whoever
// makes it cuts what stands before the last five characters.
const cutName = 63

// random is a character that controllers choose: of those that spell no words.
const random = `[bcdfghjklmnpqrstvwxz2456789]`

// ending says what follows the name of a controller in the names of its pods.
type ending struct{ whole, cut *regexp.Regexp }

func endsIn(whole, middle string) ending {
	return ending{regexp.MustCompile("^" + whole + "$"), regexp.MustCompile("^-" + middle + random + "{5}$")}
}

// endings are those of the kinds of controllers. The Jobs of a component end in a digest.
var endings = map[string]ending{
	"Deployment":  endsIn("-"+random+"{1,10}-"+random+"{5}", random+"{0,10}"),
	"StatefulSet": endsIn("-[0-9]{1,9}", "[0-9]{0,9}"),
	"DaemonSet":   endsIn("-"+random+"{5}", ""),
	"Job":         endsIn("-[0-9a-f]{8}(-[0-9]{1,9})?-"+random+"{5}", "[0-9a-f]{0,8}(-[0-9]{0,9})?"),
	"CronJob":     endsIn("-[0-9]{1,12}(-[0-9]{1,9})?-"+random+"{5}", "[0-9]{0,12}(-[0-9]{0,9})?"),
}

// Field is that of the pods of a cluster.
func (Pods) Field() string { return "pods" }

// Missing says that none of them is on the node.
func (Pods) Missing() string { return "none of its pods is here" }

// Selects reports whether a container is one of those.
func (p Pods) Selects(c Member) bool {
	if p.Namespace != c.Namespace || p.Container != c.Name {
		return false
	}
	for _, name := range p.Names {
		rest, ok := strings.CutPrefix(c.Pod, name)
		if ok && (endings[p.Kind].whole.MatchString(rest) || len(c.Pod) == cutName && endings[p.Kind].cut.MatchString(rest)) {
			return true
		}
	}
	return false
}

// label is a name of Kubernetes, as far as a name of a directory can hold it.
var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

// Check returns an error for pods that no controller makes.
func (p Pods) Check() error {
	switch {
	case !label.MatchString(p.Namespace):
		return fmt.Errorf("pods: %.64q cannot name a namespace", p.Namespace)
	case endings[p.Kind].whole == nil:
		return fmt.Errorf("pods: %.64q makes no pods: want Deployment, StatefulSet, DaemonSet, Job or CronJob", p.Kind)
	case len(p.Names) == 0 || len(p.Names) > 4:
		return fmt.Errorf("pods: %d names of controllers: want 1 to 4", len(p.Names))
	case !label.MatchString(p.Container):
		return fmt.Errorf("pods: %.64q cannot name a container", p.Container)
	}
	for _, name := range p.Names {
		if !label.MatchString(name) {
			return fmt.Errorf("pods: %.64q cannot name a controller", name)
		}
	}
	return nil
}

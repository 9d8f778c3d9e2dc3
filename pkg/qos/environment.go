package qos

import "go.yaml.in/yaml/v3"

// Environment is where workloads have their groups from. One more is a file with its
// selector, a row in environments, and recorded hosts in testdata.
type Environment interface {
	// Field is that of a workload in a plan which has the selector.
	Field() string
	// Read returns the selector that a plan has in the field. It refuses fields that it does not know.
	Read(*yaml.Node) (Selector, error)
	// Members lists what there is for selectors of the environment. An error says that the
	// environment is away while its workloads may run: then all settings stay as they are.
	Members(Look) ([]Member, error)
}

// Selector says which groups of an environment are those of a workload, by nothing of which
// the workload itself decides.
type Selector interface {
	// Field is that of the environment.
	Field() string
	// Check returns an error for what no plan may select.
	Check() error
	// Selects reports whether a group of the environment is one of the workload.
	Selects(Member) bool
	// Missing says that there is no such group.
	Missing() string
}

// Member is a cgroup of a node, with what its environment says of it.
type Member struct {
	Namespace, Pod, UID string // where it is the container of a pod, "" elsewhere
	Name                string // of the container or unit
	Cgroup              string // relative to the cgroup root
}

// Look is what an environment finds groups with.
type Look struct {
	Host    Shown
	Kubelet Kubelet
	Wanted  []Selector // all those of the plan
}

// Shown is what a host shows to environments.
type Shown interface {
	// Below lists the groups below one, "" for the root, by their paths from there, down to a
	// depth, and of those only in which enter admits.
	Below(group string, depth int, enter func(name string) bool) []string
	// Links returns the targets of the links in a directory, by name. It follows none. A
	// directory that is gone is an error: it does not mean that nothing runs.
	Links(dir string) (map[string]string, error)
}

// environments have one row each, and a field each that no other has.
var environments = []Environment{systemd{}, kubernetes{}}

// Found is what there is on a node for the selectors of a plan, by the fields of environments.
type Found map[string][]Member

// Find asks the environments for the groups that a plan selects.
func Find(plan Plan, host Shown, kubelet Kubelet) (Found, error) {
	wanted := map[string][]Selector{}
	for i := range plan.Workloads {
		if s := plan.Workloads[i].Selector; s != nil {
			wanted[s.Field()] = append(wanted[s.Field()], s)
		}
	}
	found := Found{}
	for _, e := range environments {
		if len(wanted[e.Field()]) == 0 {
			continue
		}
		groups, err := e.Members(Look{host, kubelet, wanted[e.Field()]})
		if err != nil {
			return nil, err
		}
		found[e.Field()] = groups
	}
	return found, nil
}

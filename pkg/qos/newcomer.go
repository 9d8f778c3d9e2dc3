package qos

import (
	"maps"
	"slices"
	"strings"
)

// Known is what the last turn of a node decided from. It is enough to decide for a container that comes after it.
type Known struct {
	Plan    Plan // with its selectors, as [Place] gets it
	Found   Found
	Host    Host
	Kubelet Kubelet
}

// Newcomer returns the settings of the group of a container that is about to start, as a turn would decide them if it were
// there and nothing followed the load: what a container starts with counts as its original values, and those outlast the
// load. There are none for a container to which the plan promises nothing, and none for the groups around it: these are for
// the next turn.
func (k Known) Newcomer(c Member) []Setting {
	if !slices.ContainsFunc(k.Plan.Workloads, func(w Workload) bool {
		return w.Selector != nil && w.Selector.Field() == Pods{}.Field() && w.Selector.Selects(c)
	}) {
		return nil
	}
	found := Found{}
	maps.Copy(found, k.Found)
	// A container that starts again has another group than before.
	others := slices.DeleteFunc(slices.Clone(found[Pods{}.Field()]), func(m Member) bool { return m.UID == c.UID && m.Name == c.Name })
	found[Pods{}.Field()] = append(others, c)
	placed, _ := Place(k.Plan, found)
	all := Resolve(placed, k.Host).Settings
	return slices.DeleteFunc(all, func(s Setting) bool { return s.Cgroup != c.Cgroup || s.Workload == "" || s.Hold != "" })
}

// GroupOf returns the group that a runtime will make for a container of a pod, by what the kubelet told it: a path, or a slice,
// a prefix and a name with colons between them. It reports whether that is a group in which the kubelet has containers of
// this pod.
func (k Kubelet) GroupOf(uid, told string) (group string, ok bool) {
	group = strings.TrimPrefix(told, "/")
	if parts := strings.Split(told, ":"); len(parts) == 3 {
		group = slicePath(parts[0]) + "/" + parts[1] + "-" + parts[2] + ".scope"
	}
	if checkCgroup(group) != nil {
		return "", false
	}
	for _, root := range k.roots() {
		if below, within := strings.CutPrefix(group, root+"/"); within {
			pod, _, is := containerGroup(below)
			return group, is && pod == uid
		}
	}
	return "", false
}

// slicePath returns the path of a slice of systemd: a dash in its name parts it from the slice around it.
func slicePath(name string) string {
	var path []string
	stem := strings.TrimSuffix(name, ".slice")
	for i, c := range stem {
		if c == '-' {
			path = append(path, stem[:i]+".slice")
		}
	}
	return strings.Join(append(path, stem+".slice"), "/")
}

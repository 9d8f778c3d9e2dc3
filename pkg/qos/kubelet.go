package qos

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kubelet is where the kubelet shows what it runs.
type Kubelet struct {
	Links string // directory of links to the logs of containers
	Group string // of all pods, relative to the cgroup root; "": kubepods or kubepods.slice
}

// roots are where the group of all pods may be.
func (k Kubelet) roots() []string {
	if k.Group == "" {
		return []string{"kubepods.slice", "kubepods"}
	}
	return []string{k.Group}
}

// kubernetes is the environment of pods.
type kubernetes struct{}

func (kubernetes) Field() string { return Pods{}.Field() }

// documentedPods are pods as a plan has them.
type documentedPods struct {
	Pods  `yaml:",inline"`
	Other map[string]yaml.Node `yaml:",inline"`
}

func (kubernetes) Read(n *yaml.Node) (Selector, error) {
	var doc documentedPods
	if err := n.Decode(&doc); err != nil {
		return nil, err
	}
	return doc.Pods, unknown(doc.Other, "pods")
}

// Members lists the containers that have a group. A kubelet that is not there has no pods.
func (kubernetes) Members(look Look) ([]Member, error) {
	for _, root := range look.Kubelet.roots() {
		groups := look.Host.Below(root, 3, func(string) bool { return true })
		if len(groups) == 0 {
			continue
		}
		links, err := look.Host.Links(look.Kubelet.Links)
		if err != nil {
			return nil, fmt.Errorf("find the containers of pods: %w", err)
		}
		return Containers(links, root, groups), nil
	}
	return nil, nil
}

// Containers finds the groups of the containers that the kubelet names. Links are those
// that it makes for whoever collects logs, by name: a name ends in the id of a container,
// and its target names the namespace, the pod, its UID and the container. Groups are the
// directories below its group kubepods. What does not look as the kubelet makes it, or has
// no group, is left out; so is a group below that of a container, which others made.
func Containers(links map[string]string, kubepods string, groups []string) []Member {
	at := map[string]string{} // by the names of a pod and of a group in it
	for _, group := range groups {
		pod, container, ok := containerGroup(group)
		if ok {
			at[pod+" "+container] = kubepods + "/" + group
		}
	}
	var all []Member
	for name, target := range links {
		c, id, ok := containerLink(name, target)
		if !ok {
			continue
		}
		for _, group := range groupsOf(id) {
			if c.Cgroup = at[c.UID+" "+group]; c.Cgroup != "" {
				all = append(all, c)
				break
			}
		}
	}
	slices.SortFunc(all, func(a, b Member) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Cgroup, b.Cgroup))
	})
	return all
}

// containerGroup returns the UID of the pod and the name of the group of a container, of a
// path below kubepods: a class of QoS, unless it is Guaranteed, the pod, and the container.
func containerGroup(path string) (uid, container string, ok bool) {
	parts := strings.Split(path, "/")
	uid, isPod := podGroup(parts[0])
	if !isPod && len(parts) == 3 && classGroup(parts[0]) {
		parts = parts[1:]
		uid, isPod = podGroup(parts[0])
	}
	if !isPod || len(parts) != 2 {
		return "", "", false
	}
	return uid, parts[1], true
}

// classGroup reports whether a group has the pods of a class of QoS.
func classGroup(name string) bool {
	switch name = strings.TrimSuffix(name, ".slice"); name[strings.LastIndexByte(name, '-')+1:] {
	case "burstable", "besteffort":
		return true
	}
	return false
}

// podGroup returns the UID that the group of a pod is named for. The systemd driver
// writes it without dashes, which part the names of slices.
func podGroup(name string) (uid string, ok bool) {
	slice, systemd := strings.CutSuffix(name, ".slice")
	if !systemd {
		uid, ok = strings.CutPrefix(name, "pod")
		return uid, ok && uid != ""
	}
	i := strings.LastIndex(slice, "-pod")
	if i < 0 {
		return "", false
	}
	uid = strings.ReplaceAll(slice[i+len("-pod"):], "_", "-")
	return uid, uid != ""
}

// groupsOf lists the names that runtimes give the group of a container.
func groupsOf(id string) []string {
	return []string{
		"cri-containerd-" + id + ".scope", "crio-" + id + ".scope", "docker-" + id + ".scope", // systemd driver
		id, "crio-" + id, // cgroupfs driver
	}
}

// linkTarget is the file of a log, by its pod and container.
var linkTarget = regexp.MustCompile(`/([a-z0-9][-a-z0-9]{0,62})_([a-z0-9][-a-z0-9.]{0,252})_([-0-9A-Za-z]{1,64})/([a-z0-9][-a-z0-9]{0,62})/[0-9]{1,9}\.log$`)

// containerID is what runtimes name containers by.
var containerID = regexp.MustCompile(`^[0-9a-f]{64}$`)

// containerLink reads a link. Its name and its target say the same, or it is none of the kubelet's.
func containerLink(name, target string) (c Member, id string, ok bool) {
	m := linkTarget.FindStringSubmatch(target)
	if m == nil {
		return c, "", false
	}
	c = Member{Namespace: m[1], Pod: m[2], UID: m[3], Name: m[4]}
	id, ok = strings.CutPrefix(strings.TrimSuffix(name, ".log"), c.Pod+"_"+c.Namespace+"_"+c.Name+"-")
	return c, id, ok && containerID.MatchString(id)
}

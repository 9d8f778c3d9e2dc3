//go:build linux

package kubelet

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
)

// alone shows what the kubelet writes by itself, when, and into which files. It comes every minute for the classes, and writes
// their weights only. Into the groups of a pod it writes when the pod is resized, and not when it starts itself.
func (n *node) alone() {
	_, pod, container := n.groups(n.running(workloads[1]))

	// On a slow machine it is still busy with the start of a pod, which it tries again.
	var a *altered
	for tries := 0; tries < 3 && (a == nil || !slices.Equal(classes, a.files())); tries++ {
		a = alter(n.t)
		n.resets(a, 2)
	}
	require.Equal(n.t, classes, a.files())

	a = alter(n.t)
	n.resize(workloads[1], amounts("150m", "40Mi"), amounts("300m", "80Mi"))
	n.resized(workloads[1], amounts("150m", "40Mi"), amounts("300m", "80Mi"))
	n.resets(a, 1)
	want := slices.Clone(classes)
	for _, file := range []string{"cpu.max", "cpu.weight", "memory.max"} {
		want = append(want, container+"/"+file, pod+"/"+file)
	}
	require.ElementsMatch(n.t, append(want, container+"/memory.oom.group"), a.files())

	a = alter(n.t)
	n.stopKubelet()
	n.stopKubelet = n.kubelet()
	n.resets(a, 2)
	for _, file := range a.files() {
		require.NotContains(n.t, file, "/pod")
	}
}

// classes are the files of the classes of pods that the kubelet resets.
var classes = []string{"kubepods/besteffort/cpu.weight", "kubepods/burstable/cpu.weight"}

// resets looks until the kubelet has reset the classes so often, prints what it has changed until then, and restores what was altered.
func (n *node) resets(a *altered, times int) {
	n.eventually(fmt.Sprintf("the kubelet has reset the classes, %d times", times), func() error {
		a.look()
		for _, c := range classes {
			if len(a.changed[c]) < times {
				return fmt.Errorf("%s: %v", c, a.changed[c])
			}
		}
		return nil
	})
	a.print()
	a.restore()
}

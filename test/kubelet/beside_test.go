//go:build linux

package kubelet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/nodeagent"
	"github.com/d-aros/d-aros/pkg/qos/cgroup"
)

const (
	agentState = "/var/tmp/agent"
	planFile   = "/var/tmp/plan/plan.yaml"
)

// plan is one of the workloads that limits the burstable one.
func plan(limit string) string {
	return `apiVersion: d-aros.dev/v1alpha1
kind: NodePlan
source: limit-` + limit + `
system: {cpu: 100m, memory: 256Mi}
workloads:
- {name: guaranteed, profile: guaranteed-pro, cpu: {request: 300m, limit: 300m}, memory: {request: 64Mi, limit: 64Mi}, pods: {namespace: default, kind: StatefulSet, names: [guaranteed], container: main}}
- {name: burstable, profile: burstable, cpu: {request: 100m, limit: ` + limit + `}, memory: {request: 32Mi, limit: 64Mi}, reserved: {cpu: 100m, memory: 16Mi}, pods: {namespace: default, kind: StatefulSet, names: [burstable], container: main}}
- {name: besteffort, profile: best-effort, pods: {namespace: default, kind: StatefulSet, names: [besteffort], container: main}}
`
}

func (n *node) plan(text string) {
	write(n.t, planFile+".next", text)
	require.NoError(n.t, os.Rename(planFile+".next", planFile))
}

// inForce waits until the agent says of the plan with this limit that all of it is in force, and returns the report.
func (n *node) inForce(limit string) (r nodeagent.Report) {
	n.eventually("the plan with "+limit+" is in force", func() (err error) {
		r, _, err = nodeagent.ReadReport(agentState)
		switch {
		case err != nil:
			return err
		case r.Source != "limit-"+limit || r.Problem != "" || len(r.Unplaced) > 0 || !r.Holds():
			return fmt.Errorf("%+v", r)
		}
		for _, o := range r.Outcomes {
			if o.State != cgroup.InForce {
				return fmt.Errorf("%+v", o)
			}
		}
		return nil
	})
	return r
}

var drift = regexp.MustCompile(`drift repaired" cgroup=(\S+) file=(\S+)`)

// drifts counts, by file, how often the agent has repaired a value.
func (n *node) drifts() map[string]int {
	count := map[string]int{}
	for _, m := range drift.FindAllStringSubmatch(read(n.t, "/tmp/nodeagent.log"), -1) {
		count[m[1]+"/"+m[2]]++
	}
	return count
}

// repairs waits until the agent has repaired these files so often.
func (n *node) repairs(times int, files ...string) {
	before := n.drifts()
	n.eventually(fmt.Sprintf("the agent has put back what the kubelet resets, %d times", times), func() error {
		now := n.drifts()
		for _, file := range files {
			if now[file]-before[file] < times {
				return fmt.Errorf("%v", now)
			}
		}
		return nil
	})
}

// beside shows that the values of the agent hold beside those of the kubelet, and that what it gives back is what the kubelet has written last.
func (n *node) beside() {
	t := n.t
	value := func(group, file string) string { return read(t, filepath.Join(cgroups, group, file)) }
	w := workloads[1]
	class, pod, container := n.groups(n.running(w))

	n.plan(plan("200m"))
	stop := n.daemon("nodeagent", "run", "--plan", planFile, "--state-dir", agentState)
	r := n.inForce("200m")
	for _, o := range r.Outcomes {
		t.Logf("%s/%s: %s", o.Cgroup, o.File, o.Value)
	}
	for _, m := range workloads {
		_, _, group := n.groups(n.running(m))
		require.True(t, slices.ContainsFunc(r.Outcomes, func(o cgroup.Outcome) bool { return o.Cgroup == group && o.Workload != "" }), "%s has no setting", m.name)
	}
	n.repairs(2, class+"/cpu.weight")
	n.inForce("200m")

	// The pod is resized, and the plan is still the one of before.
	requests, larger, smaller := amounts("100m", "32Mi"), amounts("400m", "64Mi"), amounts("120m", "64Mi")
	n.resize(w, requests, larger)
	n.resized(w, requests, larger)
	// The kubelet writes memory and processors one after the other, each time all of the container's values.
	n.written(container + ` file=cpu.max value="20000 100000" workload=burstable@burstable-0 from="40000 100000"`)
	require.Equal(t, "20000 100000", value(container, "cpu.max"))
	require.Equal(t, "40000 100000", value(pod, "cpu.max"))
	n.plan(plan("400m"))
	n.inForce("400m")
	require.Equal(t, "40000 100000", value(container, "cpu.max"))
	require.Equal(t, "0", value(container, "cpu.max.burst"), "the kernel refuses a quota that is smaller than a burst")
	n.resize(w, requests, smaller)
	n.resized(w, requests, smaller)
	n.written(container + ` file=cpu.max value="40000 100000" workload=burstable@burstable-0 from="12000 100000"`)
	n.plan(plan("120m"))
	n.inForce("120m")
	require.Equal(t, "12000 100000", value(container, "cpu.max"))
	require.Equal(t, "12000 100000", value(pod, "cpu.max"))

	// With this gate the kubelet resets the protection of memory, too.
	n.stopKubelet()
	write(t, "/etc/kubelet.yaml", kubeletConfig+"featureGates: {MemoryQoS: true}\n")
	n.stopKubelet = n.kubelet()
	n.repairs(2, "kubepods/memory.min", class+"/memory.low", class+"/cpu.weight")
	r = n.inForce("120m")
	require.Empty(t, r.Broken)
	t.Log(n.drifts())

	_, gone, _ := n.groups(n.running(workloads[0]))
	require.NoError(t, n.client.AppsV1().StatefulSets(metav1.NamespaceDefault).Delete(t.Context(), workloads[0].name, metav1.DeleteOptions{}))
	n.eventually("the agent knows that a workload is gone", func() error {
		r, _, err := nodeagent.ReadReport(agentState)
		if err == nil && (len(r.Unplaced) != 1 || r.Unplaced[0].Workload != workloads[0].name) {
			err = fmt.Errorf("%+v", r.Unplaced)
		}
		return err
	})
	n.eventually("the kubelet has removed its group", func() error {
		if _, err := os.Stat(filepath.Join(cgroups, gone)); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there: %w", gone, err)
		}
		return nil
	})
	require.NotContains(t, read(t, agentState+"/journal.json"), gone)
	n.eventually("nothing else is protected any more", func() error {
		if all, class := value("kubepods", "memory.min"), value(class, "memory.min"); all != class {
			return fmt.Errorf("%s is not %s", all, class)
		}
		return nil
	})

	stop()
	out, err := exec.Command("nodeagent", "release", "--state-dir", agentState).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Equal(t, "12000 100000", value(container, "cpu.max"), "this is the limit of the pod now")
	require.Equal(t, "4", value(class, "cpu.weight"))
	require.Equal(t, "0", value(class, "memory.low"))
	require.Equal(t, "0", value("kubepods", "memory.min"))
}

// written waits until the agent has logged a write.
func (n *node) written(what string) {
	n.eventually("the agent has written its value", func() error {
		if log := read(n.t, "/tmp/nodeagent.log"); !strings.Contains(log, what) {
			return errors.New(log)
		}
		return nil
	})
}

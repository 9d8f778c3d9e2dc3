package importing

import (
	"fmt"
	"strconv"
	"strings"
)

// parts takes steps of type canary-rollout, and the pauses between them, as one canary of the first component: each gives the new version a part of the requests.
// It returns how many steps of the list these are. The other components are deployed before, as the first step does in KubeVela.
func (sequences) parts(t *translation, list []*node) (steps []doc, taken int) {
	var stages []any
	var parts []*node
	first := ""
	if all := list[0].root().at("spec.components").items(); len(all) > 0 {
		first = t.steps[all[0].at("name").string()]
	}
	for _, c := range t.app.components {
		if c.name == first && c.doc["type"] != "webservice" && c.doc["type"] != "worker" || t.batches[first] == nil {
			first = "" // of which there is one version at a time, or which KubeVela does not roll out
		}
	}
	last := int64(0)
	for taken < len(list) && list[taken].at("type").string() == "canary-rollout" && last < 100 {
		n := list[taken]
		weight, err := flow.newPart(n.at("properties.traffic.weightedTargets").items())
		if err != nil || weight <= last || first == "" {
			break
		}
		last = weight
		taken++
		parts = append(parts, n)
		if weight == 100 {
			break
		}
		stage := doc{"weight": weight}
		if taken < len(list) && list[taken].at("type").string() == "suspend" {
			pause := list[taken]
			if d := pause.at("properties.duration"); durationPattern.MatchString(d.string()) {
				stage["pause"] = d.string()
				mark(kept, d)
			} else {
				stage["manual"] = true
			}
			mark(kept, pause.at("name"), pause.at("type"))
			taken++
		}
		stages = append(stages, stage)
	}
	if taken == 0 {
		t.lose(list[0], because("gives the new version no part of the requests that can be said", "workflow: steps with type canary"))
		return nil, 1
	}
	for _, n := range parts {
		mark(kept, n.at("name"), n.at("type"), n.at("properties.batchPartition"), n.at("properties.traffic"))
	}
	if flow.inBatches(t, first, stages) {
		delete(t.batches, first)
	}
	if rest := flow.rest(t, []any{first}); rest != nil {
		steps = append(steps, doc{"type": "deploy", "components": rest, "name": "others"})
	}
	if stages == nil {
		return append(steps, doc{"type": "deploy", "components": []any{first}}), taken
	}
	return append(steps, doc{"type": "canary", "components": []any{first}, "properties": doc{"stages": stages}}), taken
}

// inBatches reports whether the batches of a component's rollout are the replicas that the stages of a canary come to: parts are rounded up.
func (sequences) inBatches(t *translation, name string, stages []any) bool {
	batches := t.batches[name].items()
	if len(batches) != len(stages)+1 {
		return false
	}
	sum, all := int64(0), int64(1)
	for _, c := range t.app.components {
		if replicas, ok := c.doc["replicas"].(int64); ok && c.name == name {
			all = replicas
		}
	}
	for i, b := range batches {
		size, ok := b.at("replicas").number()
		part := int64(100)
		if i < len(stages) {
			part = stages[i].(doc)["weight"].(int64)
		}
		if sum += size; !ok || sum != (all*part+99)/100 {
			return false
		}
	}
	return true
}

// newPart is the part of the requests that the new one of two revisions gets, in percent: that with the higher number.
func (sequences) newPart(targets []*node) (int64, error) {
	unknown := fmt.Errorf("has no parts of two revisions")
	sum, newest, part := int64(0), int64(-1), int64(0)
	for _, target := range targets {
		name := target.at("revision").string()
		number, err := strconv.ParseInt(name[strings.LastIndex(name, "v")+1:], 10, 64)
		weight, ok := target.at("weight").number()
		if err != nil || !ok || weight < 1 || weight > 100 || number == newest {
			return 0, unknown
		}
		if sum += weight; number > newest {
			newest, part = number, weight
		}
	}
	if len(targets) == 0 || len(targets) > 2 || sum != 100 {
		return 0, unknown
	}
	return part, nil
}

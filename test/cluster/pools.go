package main

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

const (
	poolLabel   = "d-aros.dev/pool"
	defaultPool = "general"
)

// A pool is a number of nodes that carry its name as a label.
type pool struct {
	name  string
	nodes int
}

// parsePools reads "general=8,batch=4". Names are DNS labels, since nodes are named after them.
func parsePools(text string) ([]pool, error) {
	var pools []pool
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ",") {
		name, count, ok := strings.Cut(item, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not NAME=COUNT", item)
		}
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			return nil, fmt.Errorf("pool name %q: %s", name, problems[0])
		}
		if seen[name] {
			return nil, fmt.Errorf("pool %s is given twice", name)
		}
		seen[name] = true
		nodes, err := strconv.Atoi(count)
		if err != nil || nodes < 0 || nodes > maxNodes {
			return nil, fmt.Errorf("pool %s: %q is not a number of nodes", name, count)
		}
		pools = append(pools, pool{name, nodes})
	}
	return pools, nil
}

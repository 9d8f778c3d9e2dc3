package qos

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// selector reads what a workload names: one cgroup, for which there is none, or what one
// environment selects. It reports whether that is something that a plan may name.
func (r *reader) selector(at string, w documentedWorkload) (s Selector, ok bool) {
	fields, named := []string{"cgroup"}, 0
	if w.Cgroup != "" {
		named++
	}
	for _, e := range environments {
		fields = append(fields, e.Field())
		n, there := w.Selectors[e.Field()]
		if !there || n.Tag == "!!null" {
			continue
		}
		named++
		var err error
		if s, err = e.Read(&n); err != nil {
			r.complain("%s", readable(err))
			return nil, false
		}
	}
	last := len(fields) - 1
	var err error
	switch {
	case named == 0:
		err = fmt.Errorf("names no %s or %s", strings.Join(fields[:last], ", "), fields[last])
	case named > 1:
		err = fmt.Errorf("names more than one of %s and %s", strings.Join(fields[:last], ", "), fields[last])
	case s != nil:
		err = s.Check()
	default:
		err = checkCgroup(w.Cgroup)
	}
	if err != nil {
		r.complain("%s: %s", at, err)
	}
	return s, err == nil
}

// strange complains of fields of a workload that are those of no environment.
func (r *reader) strange(w documentedWorkload) {
	other := maps.Clone(w.Selectors)
	for _, e := range environments {
		delete(other, e.Field())
	}
	if err := unknown(other, "a workload"); err != nil {
		r.complain("%s", err)
	}
}

// unknown returns an error for fields that nobody has read, in the words of the YAML package.
func unknown(fields map[string]yaml.Node, of string) error {
	var all []string
	for field, n := range fields {
		all = append(all, fmt.Sprintf("line %d: field %.64s not found in %s", n.Line, field, of))
	}
	if all == nil {
		return nil
	}
	slices.Sort(all)
	return errors.New(strings.Join(all[:min(len(all), maxErrors)], "; "))
}

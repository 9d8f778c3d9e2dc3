package qos

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// jail selects the group of a jail: an environment that is only in this file and in a row.
type jail struct {
	Room string `json:"room" yaml:"room"`
}

func (jail) Field() string           { return "jail" }
func (jail) Missing() string         { return "no such jail" }
func (j jail) Selects(m Member) bool { return m.Name == j.Room }
func (j jail) Check() error {
	if j.Room == "" {
		return errors.New("jail: a jail is named by its room")
	}
	return nil
}

type jails struct{}

func (jails) Field() string { return "jail" }

func (jails) Read(n *yaml.Node) (Selector, error) {
	var j jail
	err := n.Decode(&j)
	return j, err
}

func (jails) Members(look Look) (all []Member, err error) {
	for _, name := range look.Host.Below("jails", 1, nil) {
		all = append(all, Member{Name: name, Cgroup: "jails/" + name})
	}
	return all, nil
}

// shown is a host that was recorded.
type shown map[string][]string // names of groups, by the group around them

func (s shown) Below(group string, _ int, _ func(string) bool) []string { return s[group] }
func (s shown) Links(string) (map[string]string, error)                 { return nil, errors.New("no links") }

// An environment is one row: plans name its groups, hosts are asked for them, and what is missing or wrong is said.
func TestOneMoreEnvironment(t *testing.T) {
	defer func(before []Environment) { environments = before }(environments)
	environments = append(environments[:len(environments):len(environments)], jails{})
	document := head + "workloads:\n- {name: a, profile: burstable, jail: {room: north}}\n- {name: b, profile: burstable, jail: {room: south}}\n"
	plan, err := Parse([]byte(document))
	require.NoError(t, err)
	again, err := Parse(Encode(plan))
	require.NoError(t, err)
	require.Equal(t, plan, again)

	found, err := Find(plan, shown{"jails": {"north", "west"}}, Kubelet{})
	require.NoError(t, err)
	placed, unplaced := Place(plan, found)
	require.Len(t, placed.Workloads, 1)
	require.Equal(t, "jails/north", placed.Workloads[0].Cgroup)
	require.Equal(t, []Unplaced{{Workload: "b", Reason: "no such jail"}}, unplaced)

	for fields, want := range map[string]string{
		"jail: {room: north}, unit: a.service": "names more than one of cgroup, unit, pods and jail",
		"jail: {}":                             `workload "a": jail: a jail is named by its room`,
		"prison: {}":                           "field prison not found in a workload",
	} {
		_, err := Parse([]byte(strings.Replace(document, "jail: {room: north}", fields, 1)))
		require.ErrorContains(t, err, want)
	}
}

// What only the plan asks for is looked for: a host without such workloads is not asked.
func TestFindAsksOnlyWhatIsNamed(t *testing.T) {
	found, err := Find(Plan{Workloads: []Workload{{Name: "a", Cgroup: "a"}}}, nil, Kubelet{})
	require.NoError(t, err)
	require.Empty(t, found)
	_, err = Find(Plan{Workloads: []Workload{{Name: "a", Selector: Pods{}}}}, shown{"kubepods": {"poda"}}, Kubelet{})
	require.ErrorContains(t, err, "no links", "pods may run")
}

package traits

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"
)

// TestSchemaIsOfTheTraits: schema/traits.cue is made of the fragments of the traits.
func TestSchemaIsOfTheTraits(t *testing.T) {
	var container, service, machine, words strings.Builder
	var names []string
	strs := false
	for _, f := range fragments(t) {
		into := &container
		if f.Kinds != nil {
			into = &service
		}
		into.WriteString("\n" + f.field)
		if f.Machines {
			machine.WriteString("\n" + f.field)
		}
		words.WriteString(f.words)
		names = append(names, fmt.Sprintf("%q", f.Name))
		strs = strs || f.imports
	}
	text := "// Made by go test ./test/traits -update of the files in pkg/render/trait. Change those.\n\npackage schema\n\n"
	if strs {
		text += "import \"strings\"\n\n"
	}
	text += "// _traits are the names of all traits.\n_traits: [" + strings.Join(names, ", ") + "]\n\n" +
		"// #NoTraits are the traits of a component that can have none.\n#NoTraits: {_replicas: int, _policy: _}\n\n" +
		"// #ContainerTraits are the traits of every component that runs a container.\n#ContainerTraits: {\n_replicas: int\n" + container.String() + "}\n\n" +
		"// #ServiceTraits are the traits of a component that keeps running.\n#ServiceTraits: {\n#ContainerTraits\n_replicas: int\nlet R = _replicas\n" + service.String() + "}\n\n" +
		"// #MachineTraits are the traits of a component that runs in virtual machines.\n#MachineTraits: {\n_replicas: int\n_policy: _\n" + machine.String() + "}\n" +
		words.String()
	formatted, err := format.Source([]byte(text))
	require.NoError(t, err)
	hold(t, "../../schema/traits.cue", string(formatted))
}

// hold compares a file with what it is made of, or writes it.
func hold(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	have, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(have), "go test ./test/traits -update")
}

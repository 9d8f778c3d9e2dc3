package chart

import (
	"bytes"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
)

// fits checks values with the schema of a chart, and those for the charts inside it with theirs. Helm
// checks the same, and fetches what a schema names elsewhere.
func fits(ch *v2.Chart, values map[string]any) error {
	if ch.Schema != nil {
		if err := fit(ch.Schema, values); err != nil {
			return fmt.Errorf("the values do not fit values.schema.json of %s: %w", ch.Name(), err)
		}
	}
	for _, inside := range ch.Dependencies() {
		below, ok := values[inside.Name()].(map[string]any)
		if !ok {
			if values[inside.Name()] != nil {
				return fmt.Errorf("the values of %s are no mapping", inside.Name())
			}
			continue
		}
		if err := fits(inside, below); err != nil {
			return err
		}
	}
	return nil
}

// schemaName is what the schema is called while it is read.
const schemaName = "file:///values.schema.json"

func fit(schema []byte, values map[string]any) error {
	read, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return err
	}
	compiler := jsonschema.NewCompiler()
	compiler.UseLoader(nowhere{})
	if err := compiler.AddResource(schemaName, read); err != nil {
		return err
	}
	compiled, err := compiler.Compile(schemaName)
	if err != nil {
		return err
	}
	return compiled.Validate(values)
}

// nowhere fetches nothing.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("it names %s, and nothing is fetched; write that into the schema, or leave it out", url)
}

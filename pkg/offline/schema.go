package offline

import (
	"io/fs"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema/jsonschema"
)

// SchemaOf returns a layer as JSON Schema, with what the platform of a fleet defines, and a tenant, if one is named.
func SchemaOf(layer string, files fs.FS, tenant string) ([]byte, error) {
	defined, err := definitionsIn(files, ".", "platform")
	if err != nil {
		return nil, err
	}
	if model.ValidName(tenant) {
		own, err := definitionsIn(files, "tenants/"+tenant, "tenant")
		if err != nil {
			return nil, err
		}
		defined = append(defined, own...)
	}
	return jsonschema.Of(layer, defined...)
}

// Schema returns a layer of the base as JSON Schema, with what a tenant can use.
func (b *Base) Schema(layer, tenant string) ([]byte, error) {
	return SchemaOf(layer, b.was.files, tenant)
}

// definitionsIn returns what the layer in a directory defines.
func definitionsIn(files fs.FS, dir, layer string) (all []jsonschema.Definition, err error) {
	written, err := layerFiles(files, dir)
	if err != nil {
		return nil, err
	}
	for _, f := range written {
		all = append(all, jsonschema.Definitions(layer, f.Data)...)
	}
	return all, nil
}

package evaluate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Document returns what files declare of one application, as JSON with the defaults, values of secrets included: of the layer of
// a tenant if the application has no name, and of the platform if there is no tenant. It is null if the layers above or the files
// are refused. Pins of the application do not count.
func (e *Evaluator) Document(app model.AppID, files Files) ([]byte, error) {
	null := []byte("null")
	r, dir := request{Layer: "document", Tenant: app.Tenant, Name: app.Name}, "."
	if app.Tenant != "" {
		alone := Through(e.backend)
		alone.Fleet("", only{files, app}, func(string) (Files, error) { return files, nil })
		platform, t := alone.platform.result, alone.parts[app.Tenant]
		switch {
		case app.Name == "" && platform != nil && platform.Platform != nil:
			dir, r.Above = layer.TenantDir(app.Tenant), platform.Above.For(app.Tenant)
		case app.Name != "" && t != nil && t.layer.result.Tenant != nil:
			dir, r.Policy = layer.ApplicationDir(app), t.layer.result.Policy
		default:
			return null, nil
		}
	}
	problems, err := r.read(files, dir)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if len(problems) > 0 {
		return null, nil
	}
	known, err := e.evaluate(app.Tenant, keyOf(r.Layer, string(encode(r))), r)
	if err != nil {
		return null, nil // it was ended at a limit, which is a problem of the fleet
	}
	return known.Declared, nil
}

// layerOf evaluates the layer of a tenant, or of the platform.
func layerOf(r request) layer.Document {
	if r.Tenant == "" {
		return layer.Platform(r.Files)
	}
	return layer.Tenant(r.Tenant, r.Files, &r.Above)
}

// evaluateDocument answers the request of Document.
func evaluateDocument(r request, form layer.Form) (out result) {
	app := model.AppID{Tenant: r.Tenant, Name: r.Name}
	defer recovered(app, &out)
	var doc []byte
	if r.Name != "" {
		doc = layer.Declared(app, r.Files, r.Library, r.Policy, form)
	} else if d := layerOf(r); d.Problems == nil {
		doc = d.JSON
	}
	if out.Declared = doc; doc == nil {
		out.Declared = []byte("null")
	}
	return out
}

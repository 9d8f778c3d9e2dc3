package evaluate

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// Document returns what files declare of one application, as JSON with the defaults, values of secrets included. It is null
// if the layers above or the files are refused. Pins of the application do not count.
func (e *Evaluator) Document(app model.AppID, files Files) ([]byte, error) {
	alone := Through(e.backend)
	alone.Fleet("", only{files, app}, func(string) (Files, error) { return files, nil })
	t := alone.parts[app.Tenant]
	if t == nil || t.layer.result.Tenant == nil {
		return []byte("null"), nil
	}
	dir := layer.ApplicationDir(app)
	digest, err := inputs(files, app)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	r := request{Layer: "declared", Tenant: app.Tenant, Name: app.Name, Policy: t.layer.result.Policy}
	names, problems, err := layer.List(files, dir)
	if err == nil && len(problems) == 0 {
		r.Files, problems, err = layer.Read(files, names)
	}
	if err == nil && len(problems) == 0 {
		problems, err = r.imported(files)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if len(problems) > 0 {
		return []byte("null"), nil
	}
	known, err := alone.evaluate(app.Tenant, keyOf("declared", app.Tenant, app.Name, digest, t.policy), r)
	if err != nil {
		return []byte("null"), nil // it was ended at a limit, which is a problem of the fleet
	}
	return known.Declared, nil
}

// evaluateDeclared answers the request of Document.
func evaluateDeclared(r request, form layer.Form) (out result) {
	app := model.AppID{Tenant: r.Tenant, Name: r.Name}
	defer recovered(app, &out)
	out.Declared = []byte("null")
	if doc := layer.Declared(app, r.Files, r.Library, r.Policy, form); doc != nil {
		out.Declared = doc
	}
	return out
}

// LayerDocument is Document of the layer of a tenant, or of the platform for "".
func (e *Evaluator) LayerDocument(tenant string, files Files) ([]byte, error) {
	r, dir := request{Layer: "document", Tenant: tenant}, "."
	if tenant != "" {
		dir = layer.TenantDir(tenant)
		alone := Through(e.backend)
		alone.Fleet("", only{files, model.AppID{Tenant: tenant}}, func(string) (Files, error) { return files, nil })
		if alone.platform.result == nil || alone.platform.result.Platform == nil {
			return []byte("null"), nil
		}
		r.Above = alone.platform.result.Above.For(tenant)
	}
	names, problems, err := layer.List(files, dir)
	if err == nil && len(problems) == 0 {
		r.Files, problems, err = layer.Read(files, names)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", dir, err)
	}
	if len(problems) > 0 {
		return []byte("null"), nil
	}
	known, err := e.ask(tenant, "", r)
	if err != nil {
		return []byte("null"), nil // it was ended at a limit, which is a problem of the fleet
	}
	return known.Declared, nil
}

// evaluateDocument answers the request of LayerDocument.
func evaluateDocument(r request) (out result) {
	var d layer.Document
	if r.Tenant == "" {
		d = layer.Platform(r.Files)
	} else {
		d = layer.Tenant(r.Tenant, r.Files, &r.Above)
	}
	out.Declared = []byte("null")
	if d.Problems == nil && d.JSON != nil {
		out.Declared = d.JSON
	}
	return out
}

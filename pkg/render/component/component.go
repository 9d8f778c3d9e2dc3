package component

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/render/manifest"
)

// Input is all that the objects of one component depend on. Types only read it.
type Input struct {
	App     *Application // that it is part of
	Spec    *model.Component
	Name    string            // of its objects
	Labels  map[string]string // that its objects and pods get
	Grant   model.Grant
	Run     int              // replicas that may run now
	Done    bool             // it succeeded and is not run again
	Track   string           // TrackStable or TrackNext
	Next    *model.Component // the newer version beside it, nil without one
	Traffic model.Traffic    // the versions that receive requests
	Step    *StepJob         // that it is, nil: none
}

// types render each type of component.
var types = map[string]func(Input) (Output, error){
	"webservice":      deployment,
	"worker":          deployment,
	"store":           store,
	"daemon":          daemon,
	"job":             reading(job),
	"cron":            reading(cron),
	"vm":              vm,
	"windows-service": deployment,
	"config":          reading(config),
	"secret":          secret,
	"external-secret": reading(externalSecret),
	"raw":             reading(raw),
	"kustomize":       reading(kustomized),
	"helm":            reading(helm),
}

// reading makes a function that reads the properties of a component and renders it.
func reading[T any](render func(Input, T) (Output, error)) func(Input) (Output, error) {
	return func(in Input) (Output, error) {
		var p T
		if err := properties(in.Spec, &p); err != nil {
			return Output{}, err
		}
		return render(in, p)
	}
}

// Render renders a component by its type, and carries out the patches of its owner. An error
// is a *declared.Fault.
func Render(in Input) (Output, error) {
	render, ok := types[in.Spec.Type]
	if !ok {
		return Output{}, declared.Faultf(declared.CodeUnreadable, "type", "%q is not a type of component", in.Spec.Type)
	}
	out, err := render(in)
	if err != nil {
		return Output{}, err
	}
	if in.Spec.Health != "" {
		for _, u := range out.Objects {
			if !Outlives(u) {
				u.SetAnnotations(declared.Merge(u.GetAnnotations(), map[string]string{AnnotationJudged: in.Spec.Definition}))
			}
		}
	}
	admission := in.admission(manifest.Accounts(out.Objects))
	admission.Token, admission.RuntimeClass, admission.HostProcess = out.token, out.class, out.host
	err = out.patch(patching{
		name: in.Name, stable: ObjectName(in.App.ID, in.Spec.Name),
		partly: in.Run == 0 || in.Track == TrackNext || in.Step != nil, running: in.Run > 0,
	}, admission)
	return out, err
}

package turn_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/pkg/turn"
)

// TestAnAdoptedObjectIsRendered: an application that adopts by name what it does not render
// is refused before it is accepted, with the place of the entry.
func TestAnAdoptedObjectIsRendered(t *testing.T) {
	app := func(entries ...model.Adoption) model.Application {
		return model.Application{
			ID: model.AppID{Tenant: "acme", Name: "shop"}, At: model.Positions{"adopt.1": "app.cue:3:9"}, Adopt: entries,
			Components: []model.Component{{Name: "settings", Type: "config", Properties: []byte(`{"data":{"key":"value"}}`)}},
		}.Seal()
	}
	check := func(a model.Application) model.Fleet {
		fleet, _ := turn.CheckRenderings(model.Fleet{
			Platform: &model.Platform{}, Tenants: []model.Tenant{{Name: "acme"}}, Applications: []*model.Application{&a},
		}, turn.Renderings{Fleet: "f", Builds: func(*model.Application) (render.Builds, error) { return nil, nil }})
		return fleet
	}
	brings := model.Adoption{Kind: "ConfigMap", Name: render.ObjectName(model.AppID{Tenant: "acme", Name: "shop"}, "settings")}
	require.Empty(t, check(app(brings, model.Adoption{Selector: map[string]string{"app": "legacy"}})).Problems)

	fleet := check(app(brings, model.Adoption{Kind: "Deployment.apps", Name: "legacy"}))
	require.Equal(t, []model.Problem{{
		Code: declared.CodeAdoption, Path: "application.adopt.1", Tenant: "acme", App: "shop",
		Message: "names Deployment.apps legacy, and no component brings an object of this kind and name",
		Places:  []model.Place{{At: "app.cue:3:9"}},
	}}, fleet.Problems)
	require.Empty(t, fleet.Applications)
}

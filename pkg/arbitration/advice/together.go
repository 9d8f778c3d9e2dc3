package advice

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// severalDomains lets what has to stand in one domain only prefer that.
func (s *search) severalDomains(*points) []change {
	over, settings := "", []model.Setting(nil)
	required := func(c *model.Component) bool {
		return c.Gathers() && c.Placement.Together.Mode != model.TogetherPreferred
	}
	for i := range s.app.Wanted.Components {
		if c := &s.app.Wanted.Components[i]; required(c) {
			over = c.Placement.Together.Over
			settings = append(settings, s.set("components."+c.Name+".placement.together.mode", string(model.TogetherPreferred))...)
		}
	}
	if settings == nil {
		return nil
	}
	return []change{{
		kind: "together", by: model.ByOwner, list: []int64{1},
		edit: func(spec *model.Application, _ int64) {
			for i := range spec.Components {
				if c := &spec.Components[i]; required(c) {
					c.Placement.Together = &model.Together{Over: c.Placement.Together.Over, Mode: model.TogetherPreferred}
				}
			}
		},
		tell: func(int64) model.Advice {
			return model.Advice{Amount: string(model.TogetherPreferred), Was: string(model.TogetherRequired), Settings: settings,
				Text: fmt.Sprintf("let it stand in several %ss where no one has room for all (placement.together.mode: preferred)", over)}
		},
	}}
}

package advice

import (
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// severalDomains lets what has to stand in one domain only prefer that.
func (s *search) severalDomains(*points) []change {
	over, settings := "", []model.Setting(nil)
	edited := s.edit()
	for i := range edited.Components {
		c := &edited.Components[i]
		if !c.Gathers() || c.Placement.Together.Mode == model.TogetherPreferred {
			continue
		}
		over = c.Placement.Together.Over
		c.Placement.Together = &model.Together{Over: over, Mode: model.TogetherPreferred}
		settings = append(settings, s.set("components."+c.Name+".placement.together.mode", string(model.TogetherPreferred))...)
	}
	if settings == nil {
		return nil
	}
	return []change{{
		kind: "together", by: model.ByOwner, list: []int64{1},
		spec: func(int64) *model.Application { return edited },
		tell: func(int64) model.Advice {
			return model.Advice{Amount: string(model.TogetherPreferred), Was: string(model.TogetherRequired), Settings: settings,
				Text: fmt.Sprintf("let it stand in several %ss where no one has room for all (placement.together.mode: preferred)", over)}
		},
	}}
}

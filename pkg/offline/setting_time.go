package offline

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// duration adds a field with a time.
func (f fields) duration(path string, d *time.Duration) {
	f[path] = func(c Setting) error {
		value, err := time.ParseDuration(c.value)
		if err != nil || c.sign != 0 || value < 0 {
			return fmt.Errorf("%s: write a time, such as 40m, or 0s for none", c.text)
		}
		*d = value
		return nil
	}
}

// placement adds where a component runs: in the pool or the flavours that it names, and whether together.
func (f fields) placement(path string, p *model.Placement) {
	switch {
	case p.Flavours != nil:
		f[path+"flavours"] = func(c Setting) error {
			var list []model.Flavour
			for pool := range strings.SplitSeq(c.value, ",") {
				flavour := model.Flavour{Pool: pool}
				if at := slices.IndexFunc(p.Flavours, func(o model.Flavour) bool { return o.Pool == pool }); at >= 0 {
					flavour = p.Flavours[at]
				}
				if pool == "" || c.sign != 0 || slices.ContainsFunc(list, func(o model.Flavour) bool { return o.Pool == pool }) {
					return fmt.Errorf("%s: write pools in order, each once, such as h100,spot", c.text)
				}
				list = append(list, flavour)
			}
			p.Flavours = list
			return nil
		}
	case p.Pool != "":
		f[path+"pool"] = func(c Setting) error {
			p.Pool = c.value
			return nil
		}
	}
	if p.Together == nil {
		return
	}
	own := *p.Together
	p.Together = &own
	f[path+"together.mode"] = func(c Setting) error {
		return choose(c, &own.Mode, model.TogetherRequired, model.TogetherRequired, model.TogetherPreferred)
	}
}

package evaluate

import (
	"errors"
	"fmt"

	"github.com/d-aros/d-aros/pkg/model"
)

// Health returns what the definition of a component of a tenant says of what is live, within
// the limits of an evaluation: one that was ended at a limit has found nothing healthy. An
// error means that nothing is known now, as the tenant has used its share.
func (e *Evaluator) Health(tenant string, c *model.Component, live []byte) (model.Health, error) {
	answer, err := e.evaluate(tenant, keyOf("health", c.Health, string(live)), request{Layer: "health", Health: c.Health, Live: live})
	var exhausted *Exhausted
	switch {
	case errors.As(err, &exhausted):
		return model.Health{Why: fmt.Sprintf("the health of definition %s needs too much %s", c.Definition, exhausted.Limit)}, nil
	case err != nil:
		return model.Health{}, fmt.Errorf("judge component %s: %w", c.Name, err)
	case answer.Health == nil:
		return model.Health{}, errors.New("judge a component: the answer is about something else")
	}
	return *answer.Health, nil
}

package status

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestExact: a value that is not what is read back from its record is read back.
func TestExact(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)
	component := func(properties string) *model.Application {
		return &model.Application{ID: model.AppID{Tenant: "acme", Name: "shop"}, Components: []model.Component{{Properties: json.RawMessage(properties)}}}
	}
	for what, c := range map[string]struct {
		v     any
		exact bool
	}{
		"plain":           {&model.Transition{At: at, Message: "é\u2028<"}, true},
		"another zone":    {&model.Transition{At: at.In(time.FixedZone("", 3600))}, false},
		"local zone":      {&model.Transition{At: time.Now().Local().Round(0)}, false},
		"monotonic clock": {&model.Transition{At: time.Now()}, false},
		"broken UTF-8":    {&model.Transition{At: at, Message: "\xff"}, false},
		"empty list":      {&model.Instance{Held: []model.Digest{}}, false},
		"empty map":       {&model.Application{Labels: map[string]string{}}, false},
		"broken key":      {&model.Application{Labels: map[string]string{"\xff": ""}}, false},
		"not kept":        {&model.Application{At: model.Positions{"a": "b"}}, false},
		"opaque":          {component(`{"a":[1,{"b":"x y"}]}`), true},
		"white space":     {component(`{"a": 1}`), false},
		"key twice":       {component(`{"a":1,"a":2}`), false},
		"bad identity":    {&model.Decision{App: model.AppID{Tenant: "a/b", Name: "c"}}, false},
	} {
		require.Equal(t, c.exact, exact(reflect.ValueOf(c.v)), what)
		if !c.exact {
			continue
		}
		b, err := encode(c.v, nil)
		require.NoError(t, err, what)
		back := reflect.New(reflect.TypeOf(c.v).Elem()).Interface()
		_, err = decode(b, back, false)
		require.NoError(t, err, what)
		require.Equal(t, c.v, back, what)
	}
}

package outbound

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/text"
)

func TestDecodeQuery(t *testing.T) {
	vector := func(result string) string {
		return `{"status":"success","data":{"resultType":"vector","result":` + result + `}}`
	}
	for _, c := range []struct {
		body  string
		value float64
		class string
	}{
		{vector(`[{"metric":{},"value":[1,"0.5"]}]`), 0.5, ""},
		{vector(`[{"value":[1,"+Inf"]}]`), math.Inf(1), ""},
		{`{"status":"success","data":{"resultType":"scalar","result":[1,"-3"]}}`, -3, ""},
		{vector(`[]`), 0, ClassNoData},
		{vector(`[{"value":[1,"NaN"]}]`), 0, ClassNoData},
		{vector(`[{"value":[1,"1"]},{"value":[1,"2"]}]`), 0, ClassNoData},
		{vector(`[{"value":[1,2]}]`), 0, ClassAnswer},
		{vector(`[{"value":[1,"much"]}]`), 0, ClassAnswer},
		{vector(`[{}]`), 0, ClassAnswer},
		{`{"status":"success","data":{"resultType":"matrix","result":[]}}`, 0, ClassAnswer},
		{`{"status":"error","errorType":"bad_data","error":"parse \u001b[31merror"}`, 0, ClassAnswer},
		{`<html>`, 0, ClassAnswer},
		{`[` + strings.Repeat("[", 20_000), 0, ClassAnswer},
		{``, 0, ClassAnswer},
	} {
		v, err := decodeQuery(200, []byte(c.body))
		if c.class == "" {
			require.NoError(t, err, c.body)
			require.Equal(t, c.value, v)
			continue
		}
		var f *failure
		require.ErrorAs(t, err, &f, c.body)
		require.Equal(t, c.class, f.class, c.body)
		require.NotContains(t, f.message, "\x1b")
	}
}

// Whatever a server says, there is a number or a failure with a class and a
// sentence that can be printed.
func FuzzDecodeQuery(f *testing.F) {
	f.Add(200, []byte(`{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"0.5"]}]}}`))
	f.Add(400, []byte(`{"status":"error","errorType":"bad_data","error":"x"}`))
	f.Add(200, []byte(`{"status":"success","data":{"resultType":"scalar","result":[1,"NaN"]}}`))
	f.Add(500, []byte(`{"status":"success","data":{"resultType":"vector","result":[null,{}]}}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		v, err := decodeQuery(status, body)
		if err == nil {
			require.False(t, math.IsNaN(v))
			return
		}
		var known *failure
		require.True(t, errors.As(err, &known))
		require.NotEmpty(t, known.class)
		message := failed(err).Message
		require.NotEmpty(t, message)
		require.Equal(t, text.Line(message, maxMessage), message)
	})
}

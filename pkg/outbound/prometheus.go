package outbound

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/d-aros/d-aros/pkg/text"
)

// queryAnswer is the answer of a Prometheus server to an instant query.
type queryAnswer struct {
	Status string `json:"status"`
	Error  string `json:"error"`
	Data   struct {
		ResultType string          `json:"resultType"`
		Result     json.RawMessage `json:"result"`
	} `json:"data"`
}

// sample is a time and a value, which is written as text.
type sample [2]json.RawMessage

func (s sample) value() (float64, error) {
	var text string
	if err := json.Unmarshal(s[1], &text); err != nil {
		return 0, &failure{ClassAnswer, "the value of the query is not written as one"}
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil:
		return 0, &failure{ClassAnswer, "the value of the query is no number"}
	case math.IsNaN(v):
		return 0, &failure{ClassNoData, "the query says NaN: there is nothing to go by yet, or a part was divided by nothing"}
	}
	return v, nil
}

// decodeQuery returns the one value of a query. An answer without a value or with
// several values is a failure.
func decodeQuery(status int, body []byte) (float64, error) {
	var a queryAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		reason := "this is no answer of a Prometheus server"
		if len(body) == maxBody {
			reason = fmt.Sprintf("the answer has more than %d KiB; aggregate the query to one value", maxBody>>10)
		}
		return 0, &failure{ClassAnswer, fmt.Sprintf("status %d: %s", status, reason)}
	}
	if a.Status != "success" {
		return 0, &failure{ClassAnswer, fmt.Sprintf("status %d: %s", status, cmp.Or(text.Line(a.Error, maxMessage), "the server does not say why"))}
	}
	switch a.Data.ResultType {
	case "scalar":
		var s sample
		if err := json.Unmarshal(a.Data.Result, &s); err != nil {
			return 0, &failure{ClassAnswer, "the answer cannot be read"}
		}
		return s.value()
	case "vector":
		var series []struct {
			Value sample `json:"value"`
		}
		if err := json.Unmarshal(a.Data.Result, &series); err != nil {
			return 0, &failure{ClassAnswer, "the answer cannot be read"}
		}
		switch len(series) {
		case 0:
			return 0, &failure{ClassNoData, "the query found nothing"}
		case 1:
			return series[0].Value.value()
		}
		return 0, &failure{ClassNoData, fmt.Sprintf("the query found %d values; aggregate it to one, for example with sum or max", len(series))}
	}
	return 0, &failure{ClassAnswer, fmt.Sprintf("the query is a %s; write one that has one value at a time", text.Line(a.Data.ResultType, maxMessage))}
}

package workflow

import "strconv"

// Result is the final answer to an intent.
type Result struct {
	Key     string // of the intent
	OK      bool   // the job ended well, an answer came, the notification was taken
	Class   string // of failure, if not OK
	Message string
	Status  int     // HTTP status, exit code
	Value   float64 // of a query
	Body    string  // of an HTTP answer; what a job left
}

// result returns the latest result of an intent, nil if there is none.
func (t *Turn) result(key string) *Result {
	for i := len(t.Results) - 1; i >= 0; i-- {
		if r := &t.Results[i]; r.Key == key {
			return r
		}
	}
	return nil
}

// part returns the named part of a result.
func (r *Result) part(name string) string {
	switch name {
	case "status":
		return strconv.Itoa(r.Status)
	case "value":
		return strconv.FormatFloat(r.Value, 'g', -1, 64)
	case "body":
		return r.Body
	case "message":
		return r.Message
	}
	return ""
}

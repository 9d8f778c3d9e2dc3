package outbound

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// probe sends one request. Any answer is OK here: the condition of the check judges it.
func (d *Dispatcher) probe(ctx context.Context, t Task, places chan struct{}) workflow.Result {
	p := t.Intent.Probe
	address := p.URL
	if p.Query != "" {
		address = p.Prometheus
	}
	u, err := destination(address, t.Egress)
	if err != nil {
		return failed(err)
	}
	if p.Query != "" {
		u = queryOf(u, p.Query)
	}
	leave, ok := d.place(ctx, places)
	if !ok {
		return failed(&failure{workflow.ClassTimeout, "no place among the requests in time"})
	}
	defer leave()
	status, body, err := get(ctx, d.client, u)
	switch {
	case err != nil:
		return failed(err)
	case p.Query != "":
		value, err := decodeQuery(status, body)
		if err != nil {
			r := failed(err)
			r.Status = status
			return r
		}
		return workflow.Result{OK: true, Status: status, Value: value}
	}
	return workflow.Result{OK: true, Status: status, Body: text.Lines(string(body), maxBody)}
}

func get(ctx context.Context, client *http.Client, u *url.URL) (status int, body []byte, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return 0, nil, &failure{ClassRefused, "the address cannot be asked"}
	}
	return send(client, r)
}

// queryOf returns the address of a query about now at a Prometheus server.
func queryOf(server *url.URL, query string) *url.URL {
	u := *server
	u.Path, u.RawPath, u.Fragment = strings.TrimRight(u.Path, "/")+"/api/v1/query", "", ""
	u.RawQuery = url.Values{"query": {query}}.Encode()
	return &u
}

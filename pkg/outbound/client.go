package outbound

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
	"github.com/d-aros/d-aros/pkg/workflow"
)

// Bounds of one request.
const (
	requestTime = 10 * time.Second
	maxBody     = 64 << 10
	maxHeader   = 32 << 10
	maxMessage  = 500 // of an error, in bytes
	redirects   = 5
)

// Classes of failure, beside those of package workflow.
const (
	ClassRefused     = "refused"     // policy does not allow the address, or it is internal; a retry is no use
	ClassUnreachable = "unreachable" // no connection, or it broke
	ClassAnswer      = "bad-answer"  // an invalid or negative answer
	ClassNoData      = "no-data"     // a query found no value, or more than one
	ClassKey         = "no-key"      // the key that signs the message is missing
)

// failure is an error with its class.
type failure struct{ class, message string }

func (f *failure) Error() string { return f.message }

// newClient returns a client for addresses that tenants choose: it uses no proxy and
// no cookies, keeps no connection open, does not decompress answers, and follows
// redirects only on the same host.
func newClient(reach Reach) *http.Client {
	return &http.Client{
		Timeout: requestTime,
		Transport: &http.Transport{
			DialContext:            reach.Dial,
			TLSHandshakeTimeout:    requestTime / 2,
			ResponseHeaderTimeout:  requestTime,
			MaxResponseHeaderBytes: maxHeader,
			DisableKeepAlives:      true,
			DisableCompression:     true,
		},
		CheckRedirect: func(next *http.Request, before []*http.Request) error {
			first := before[0]
			if first.Method != http.MethodGet || len(before) > redirects || next.URL.Hostname() != first.URL.Hostname() ||
				next.URL.User != nil || first.URL.Scheme == "https" && next.URL.Scheme != "https" {
				return http.ErrUseLastResponse // return the redirect as the answer
			}
			next.Header.Del("Referer")
			return nil
		},
	}
}

// agent is the User-Agent of requests.
const agent = "d-aros"

// send makes a request and returns the status and the beginning of the body.
func send(client *http.Client, r *http.Request) (status int, body []byte, err error) {
	r.Header.Set("User-Agent", agent)
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, explain(r.Context(), err)
	}
	defer answer.Body.Close()
	body, err = io.ReadAll(io.LimitReader(answer.Body, maxBody))
	if err != nil {
		return 0, nil, explain(r.Context(), err)
	}
	return answer.StatusCode, body, nil
}

// explain turns the error of a request into a failure. It does not quote the address,
// which may contain a key.
func explain(ctx context.Context, err error) error {
	var known *failure
	var name *net.DNSError
	var network *net.OpError
	var late net.Error
	switch {
	case errors.As(err, &known):
		return known
	case ctx.Err() != nil:
		return &failure{workflow.ClassTimeout, "no answer in time"}
	case errors.As(err, &name):
		reason := "cannot be looked up now"
		if name.IsNotFound {
			reason = "is not known"
		}
		return &failure{ClassUnreachable, fmt.Sprintf("the name %s %s", text.Line(name.Name, maxMessage), reason)}
	case errors.As(err, &late) && late.Timeout():
		return &failure{workflow.ClassTimeout, fmt.Sprintf("no answer within %s", requestTime)}
	case errors.As(err, &network):
		return &failure{ClassUnreachable, text.Line(network.Err.Error(), maxMessage)}
	}
	message := err.Error()
	if i := strings.LastIndex(message, `": `); i >= 0 { // Get "https://…": what happened
		message = message[i+3:]
	}
	return &failure{ClassUnreachable, text.Line(message, maxMessage)}
}

// failed returns the result for an error.
func failed(err error) workflow.Result {
	var f *failure
	if !errors.As(err, &f) {
		f = &failure{ClassUnreachable, err.Error()}
	}
	return workflow.Result{Class: f.class, Message: text.Line(f.message, maxMessage)}
}

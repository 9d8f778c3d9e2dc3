package nomad

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// Bounds of requests.
const (
	maxAnswer  = 64 << 20
	maxList    = 4 * maxAnswer // of all pages
	maxToken   = 4 << 10
	maxMessage = 300
	pageSize   = 1_000
	maxPages   = 100
)

// errNone is that there is nothing by that name.
var errNone = errors.New("there is none")

// client asks the HTTP API.
type client struct {
	address   *url.URL
	tokenFile string        // read for each request, as it may be renewed
	timeout   time.Duration // of a request that does not wait for a change
	most      int           // bytes of all pages of a list
	http      *http.Client
}

func newClient(address, tokenFile, caFile string, timeout time.Duration) (*client, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" {
		return nil, fmt.Errorf("the address of Nomad is none: write it like https://nomad.example.com:4646")
	}
	if u.Scheme == "http" && tokenFile != "" && u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
		return nil, fmt.Errorf("the token of Nomad would go over the network in clear: write its address with https://")
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		data, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("read the authorities of Nomad: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s has no certificate", caFile)
		}
	}
	return &client{u, tokenFile, timeout, maxList, &http.Client{
		Transport:     &http.Transport{TLSClientConfig: config, Proxy: http.ProxyFromEnvironment, MaxConnsPerHost: 16, IdleConnTimeout: time.Minute},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // it would get the token
	}}, nil
}

// call sends a request and decodes the answer into out, if that is not nil. It returns the headers and the size of the
// answer. No error has the token, whatever the answer says.
func (c *client) call(ctx context.Context, method, path string, query url.Values, in, out any) (http.Header, int, error) {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, 0, err
		}
		body = bytes.NewReader(data)
	}
	u := c.address.JoinPath("v1", path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, 0, err
	}
	token := ""
	if c.tokenFile != "" {
		if token, err = readToken(c.tokenFile); err != nil {
			return nil, 0, err
		}
		req.Header.Set("X-Nomad-Token", token)
	}
	answer, err := c.http.Do(req)
	if err != nil {
		return nil, 0, fmt.Errorf("ask Nomad: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotFound {
		return nil, 0, errNone
	}
	data, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, 0, fmt.Errorf("read the answer of Nomad: %w", err)
	case len(data) > maxAnswer:
		return nil, 0, fmt.Errorf("an answer of Nomad is larger than %d MiB", maxAnswer>>20)
	case answer.StatusCode/100 != 2:
		return nil, 0, &refusal{answer.StatusCode, text.Line(without(token, string(data)), maxMessage)}
	case out == nil:
		return answer.Header, len(data), nil
	}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, 0, fmt.Errorf("an answer of Nomad to %s is not of its form: %w", path, err)
	}
	return answer.Header, len(data), nil
}

// without returns a text in which nothing tells the token.
func without(token, s string) string {
	if token == "" {
		return s
	}
	return strings.ReplaceAll(s, token, "…")
}

// refusal is an answer that says no.
type refusal struct {
	status  int
	message string
}

func (r *refusal) Error() string { return fmt.Sprintf("Nomad answers %d: %s", r.status, r.message) }

// permanent reports whether the same request would be refused again.
func (r *refusal) permanent() bool {
	return r.status/100 == 4 && r.status != http.StatusTooManyRequests
}

func readToken(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("read the token of Nomad: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxToken))
	if err != nil {
		return "", fmt.Errorf("read the token of Nomad: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// do is call for a request that is answered at once.
func (c *client) do(ctx context.Context, method, path string, query url.Values, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	_, _, err := c.call(ctx, method, path, query, in, out)
	return err
}

// list returns a list whole, page by page.
func list[T any](ctx context.Context, c *client, path string, query url.Values) (all []T, err error) {
	query.Set("per_page", strconv.Itoa(pageSize))
	left := c.most
	for range maxPages {
		var some []T
		limited, cancel := context.WithTimeout(ctx, c.timeout)
		head, size, err := c.call(limited, http.MethodGet, path, query, nil, &some)
		cancel()
		if err != nil {
			return nil, err
		}
		if left -= size; left < 0 {
			return nil, fmt.Errorf("the list of %s in Nomad is larger than %d MiB", path, c.most>>20)
		}
		all = append(all, some...)
		next := head.Get("X-Nomad-NextToken")
		if next == "" {
			return all, nil
		}
		query.Set("next_token", next)
	}
	return nil, fmt.Errorf("more than %d %s are in Nomad", maxPages*pageSize, path)
}

// wait returns when a list has changed since an index, and its index now.
func (c *client) wait(ctx context.Context, path string, since uint64) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute+c.timeout)
	defer cancel()
	head, _, err := c.call(ctx, http.MethodGet, path, url.Values{
		"namespace": {"*"}, "per_page": {"1"}, "wait": {"60s"}, "index": {strconv.FormatUint(since, 10)},
	}, nil, nil)
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(head.Get("X-Nomad-Index"), 10, 64)
}

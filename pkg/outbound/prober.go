package outbound

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// A Prober finds out whether something that runs elsewhere is well. It is safe for
// concurrent use.
type Prober struct {
	reach  Reach
	client *http.Client
}

// NewProber returns a prober that goes as far as a reach.
func NewProber(r Reach) *Prober {
	p := &Prober{reach: r, client: newClient(r)}
	p.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return p
}

// Probe returns why what is at an address is not well, nil if it is: at tcp://host:port it
// accepts a connection, at an address of http or https it answers a request with a status from
// 200 to 299. Hosts are those that it may be at, as policy names them. The error quotes neither
// the address nor the answer.
func (p *Prober) Probe(ctx context.Context, address string, hosts []string) error {
	if rest, is := strings.CutPrefix(address, "tcp://"); is {
		return p.connect(ctx, rest, hosts)
	}
	u, err := destination(address, hosts)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return &failure{ClassRefused, "the address cannot be asked"}
	}
	r.Header.Set("User-Agent", agent)
	answer, err := p.client.Do(r)
	if err != nil {
		return explain(ctx, err)
	}
	answer.Body.Close() // nobody reads it
	switch code := answer.StatusCode; {
	case code >= 300 && code <= 399:
		return &failure{ClassAnswer, fmt.Sprintf("it answers %d, which leads elsewhere", code)}
	case code < 200 || code > 299:
		return &failure{ClassAnswer, fmt.Sprintf("it answers %d", code)}
	}
	return nil
}

// connect makes a connection, and sends nothing.
func (p *Prober) connect(ctx context.Context, address string, hosts []string) error {
	u, err := url.Parse("tcp://" + address)
	if err != nil || u.Host != address || u.Port() == "" {
		return &failure{ClassRefused, "the address is not a host with a port"}
	}
	if err := allowed(u, hosts); err != nil {
		return err
	}
	c, err := p.reach.Dial(ctx, "tcp", address)
	if err != nil {
		return explain(ctx, err)
	}
	return c.Close()
}

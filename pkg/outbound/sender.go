package outbound

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// A sender posts to one address in its own goroutine. The operator of the reconciler
// chooses the address, so any address is allowed.
type sender struct {
	url    *url.URL
	client *http.Client
	pause  func(n int) time.Duration
	report func(error) // gets each new kind of error once; may be nil
	last   string      // the error that was reported last

	more chan struct{} // has a value when there may be something to send
	stop context.CancelFunc
	done chan struct{}
}

func newSender(address string, report func(error)) (*sender, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the address is not one of http or https")
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxResponseHeaderBytes = maxHeader
	return &sender{
		url: u, pause: pause, report: report, more: make(chan struct{}, 1), done: make(chan struct{}),
		client: &http.Client{
			Timeout: requestTime, Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// start runs do in the goroutine until close.
func (s *sender) start(do func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	go func() {
		defer close(s.done)
		do(ctx)
	}()
}

// Close ends the goroutine. It returns nil.
func (s *sender) Close() error {
	s.stop()
	<-s.done
	return nil
}

// wake ends a wait. It never blocks.
func (s *sender) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// wait waits for wake; false when ctx ended before.
func (s *sender) wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.more:
		return true
	}
}

// deliver repeats send until the receiver has taken it or refused it for good;
// false when ctx ended before.
func (s *sender) deliver(ctx context.Context, send func() error) bool {
	for attempt := 1; ; attempt++ {
		err := send()
		if ctx.Err() != nil {
			return false
		}
		s.note(err)
		if err == nil || final(err) {
			return true
		}
		if !sleep(ctx, s.pause(attempt)) {
			return false
		}
	}
}

// note reports an error that differs from the last one.
func (s *sender) note(err error) {
	if err == nil {
		s.last = ""
		return
	}
	if text := err.Error(); text != s.last && s.report != nil {
		s.last = text
		s.report(err)
	}
}

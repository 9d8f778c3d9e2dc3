package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"

	"github.com/d-aros/d-aros/pkg/text"
)

// ErrUnsupported is returned for a remote that lacks a capability that we need.
var ErrUnsupported = errors.New("the Git server does not support what is needed")

// Remote is a repository that is reached through a URL. It keeps no connection.
type Remote struct {
	at     address
	auth   Auth
	limits Limits
	over   http.RoundTripper // HTTP; nil: the usual one
}

// Limits bound the time and the bytes that a remote may take. Zero values mean the
// defaults.
type Limits struct {
	Timeout time.Duration // of one conversation; default 2 minutes
	Pack    int64         // bytes of one pack; default 2 GiB
	Object  int64         // bytes of one object of a pack; default 64 MiB
	Memory  int64         // bytes of all objects that a store in memory unpacks; default 1 GiB
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Timeout: cmp.Or(max(l.Timeout, 0), 2*time.Minute),
		Pack:    cmp.Or(max(l.Pack, 0), 2<<30),
		Object:  cmp.Or(max(l.Object, 0), 64<<20),
		Memory:  cmp.Or(max(l.Memory, 0), 1<<30),
	}
}

// NewRemote describes the repository at url. It does not connect.
func NewRemote(url string, auth Auth, limits Limits) (*Remote, error) {
	at, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	return &Remote{at: at, auth: auth, limits: limits.withDefaults()}, nil
}

// Through returns the remote as it is reached by HTTP over a transport, which decides to which
// addresses connections are made.
func (r *Remote) Through(over http.RoundTripper) *Remote {
	through := *r
	through.over = over
	return &through
}

// String returns the URL without credentials.
func (r *Remote) String() string { return r.at.String() }

// LocalPath returns where a repository on this machine lies.
func (r *Remote) LocalPath() (string, bool) { return r.at.path, r.at.scheme == "file" }

// Refs are the refs of a remote by full name.
type Refs map[string]Ref

// Ref is the target of a ref. Object can be fetched; Commit is the commit that it leads
// to. They differ for annotated tags.
type Ref struct{ Object, Commit Hash }

// Refs lists the refs of the remote. An empty repository has none.
func (r *Remote) Refs(ctx context.Context) (Refs, error) {
	refs := Refs{}
	err := r.converse(ctx, transport.UploadPackServiceName, func(ctx context.Context, s transport.Session) error {
		adv, err := s.AdvertisedReferencesContext(ctx)
		if errors.Is(err, transport.ErrEmptyRemoteRepository) {
			return nil
		}
		if err != nil {
			return err
		}
		for name, h := range adv.References {
			refs[name] = Ref{Object: h, Commit: h}
		}
		for name, h := range adv.Peeled {
			refs[name] = Ref{Object: adv.References[name], Commit: h}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list refs of %s: %w", r, err)
	}
	return refs, nil
}

// Fetch brings want and its history into the store. The remote omits the objects
// that the commits in have lead to. Without have it sends everything, and that
// replaces all objects fetched before. A depth above zero cuts the history.
func (r *Remote) Fetch(ctx context.Context, into *Store, want Hash, have []Hash, depth int) error {
	return r.fetch(ctx, want, have, depth, func(pack io.Reader) error { return into.addPack(pack, r.limits, len(have) == 0) })
}

// FetchCommit brings one commit, without those before it, into a store in memory. It
// calls check with the commit before it unpacks what Git sends after that, the
// directories and files, and ends with the error of check, if there is one.
func (r *Remote) FetchCommit(ctx context.Context, into *Store, want Hash, check func(Signed) error) error {
	return r.FetchSince(ctx, into, want, ZeroHash, 1, check)
}

// FetchSince is FetchCommit for a commit that probably follows one that the caller has,
// at a distance below depth. Then only what the commits after that one added arrives, and
// else as many commits as depth says, with all that the wanted one has.
func (r *Remote) FetchSince(ctx context.Context, into *Store, want, have Hash, depth int, check func(Signed) error) error {
	checked, refused := false, make(chan error, 1) // an error with its type
	err := r.fetch(ctx, want, []Hash{have}, depth, func(pack io.Reader) error {
		err := into.addToMemory(pack, r.limits, func(content []byte) error {
			if plumbing.ComputeHash(plumbing.CommitObject, content) != want {
				return nil
			}
			checked = true
			err := check(ParseSigned(content))
			if err != nil {
				refused <- err
			}
			return err
		})
		if many := (*TooMuchError)(nil); errors.As(err, &many) {
			refused <- err
		}
		return err
	})
	if err == nil && !checked {
		signed, err := into.Signed(want)
		if err != nil {
			return err
		}
		return check(signed)
	}
	select {
	case err = <-refused:
	default:
	}
	return err
}

// fetch lets take read the pack of want and its history.
func (r *Remote) fetch(ctx context.Context, want Hash, have []Hash, depth int, take func(pack io.Reader) error) error {
	err := r.converse(ctx, transport.UploadPackServiceName, func(ctx context.Context, s transport.Session) error {
		adv, err := s.AdvertisedReferencesContext(ctx)
		if err != nil {
			return err
		}
		req := packp.NewUploadPackRequestFromCapabilities(adv.Capabilities)
		req.Wants = []Hash{want}
		req.Haves = slices.DeleteFunc(slices.Clone(have), func(h Hash) bool { return h == want || h == ZeroHash })
		if adv.Capabilities.Supports(capability.NoProgress) {
			_ = req.Capabilities.Set(capability.NoProgress)
		}
		if depth > 0 && adv.Capabilities.Supports(capability.Shallow) {
			_ = req.Capabilities.Set(capability.Shallow)
			req.Depth = packp.DepthCommits(depth)
		}
		res, err := s.(transport.UploadPackSession).UploadPack(ctx, req)
		if err != nil {
			return err
		}
		defer res.Close()
		return take(demultiplex(req.Capabilities, res))
	})
	if err != nil {
		return &FetchError{From: r.String(), Err: err}
	}
	return nil
}

// FetchError is the reason why a fetch failed, for example that the ref has moved since
// it was listed.
type FetchError struct {
	From string
	Err  error
}

func (e *FetchError) Error() string { return "fetch from " + e.From + ": " + e.Err.Error() }
func (e *FetchError) Unwrap() error { return e.Err }

func demultiplex(c *capability.List, r io.Reader) io.Reader {
	switch {
	case c.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, r)
	case c.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, r)
	}
	return r
}

// converse opens a session, lets f use it within the time limit and closes it.
// Neither a slow nor a silent remote holds the caller longer than that.
func (r *Remote) converse(ctx context.Context, service string, f func(context.Context, transport.Session) error) error {
	ctx, cancel := context.WithTimeout(ctx, r.limits.Timeout)
	defer cancel()
	done := make(chan error, 1)
	go func() {
		s, err := r.open(ctx, service)
		if err != nil {
			done <- err
			return
		}
		err = f(ctx, s)
		_ = s.Close()
		done <- err
	}()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		// A session that observes the context ends now. It is waited for, so that it
		// does not write to the store later. One that hangs in a handshake has not
		// reached the store.
		select {
		case err = <-done:
		case <-time.After(time.Second):
		}
	}
	switch {
	case err == nil && ctx.Err() == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("no answer within %s", r.limits.Timeout)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return r.clean(err)
}

func (r *Remote) open(ctx context.Context, service string) (transport.Session, error) {
	if r.at.scheme == "file" {
		return openLocal(ctx, strings.TrimPrefix(service, "git-"), r.at.path)
	}
	ep, err := r.at.endpoint()
	if err != nil {
		return nil, err
	}
	auth, err := r.auth.method(r.at, r.limits.Timeout)
	if err != nil {
		return nil, err
	}
	client := gitssh.DefaultClient
	if r.at.scheme != "ssh" {
		client = githttp.NewClientWithOptions(
			&http.Client{Transport: bounded{r.limits.Pack, cmp.Or(r.over, http.DefaultTransport)}},
			&githttp.ClientOptions{RedirectPolicy: githttp.FollowInitialRedirects})
	}
	if service == transport.UploadPackServiceName {
		return client.NewUploadPackSession(ep, auth)
	}
	return client.NewReceivePackSession(ep, auth)
}

// bounded refuses redirects to another host and cuts answers off at a limit.
type bounded struct {
	max  int64
	over http.RoundTripper
}

func (b bounded) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := b.over.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if to, err := res.Location(); res.StatusCode/100 == 3 && err == nil && to.Host != req.URL.Host {
		_ = res.Body.Close()
		return nil, errors.New("the Git server redirects to another host")
	}
	res.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(res.Body, b.max), res.Body}
	return res, nil
}

// clean makes an error of a library or of the remote fit for a log: one line,
// bounded, without the token.
func (r *Remote) clean(err error) error {
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return errors.New("access denied; check the credentials")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return errors.New("repository not found, or access denied")
	case errors.Is(err, plumbing.ErrObjectNotFound), errors.Is(err, ErrRefMoved):
		return err
	}
	message := err.Error()
	if token, terr := r.auth.token(); terr == nil && token != "" {
		message = strings.ReplaceAll(message, token, "…")
	}
	return errors.New(text.Line(message, maxLine))
}

package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/d-aros/d-aros/pkg/text"
)

// local talks to a repository on this machine through the git program, so that
// its locks and hooks hold. It exists beside go-git's own file transport
// because that one hands the whole environment, tokens included, to the hooks
// of a repository that may belong to somebody else.
type local struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *beginning
	refs   *packp.AdvRefs
	waited bool
}

// passedOn lists the environment variables that git needs to find its programs, its
// configuration and a directory for temporary files.
var passedOn = []string{"PATH", "HOME", "XDG_CONFIG_HOME", "TMPDIR"}

// openLocal starts service, upload-pack or receive-pack, on the repository at
// the absolute path. The process ends when ctx does.
func openLocal(ctx context.Context, service, path string) (*local, error) {
	// A commit behind a tip may be wanted, as at the usual hosts.
	cmd := exec.CommandContext(ctx, "git", "-c", "uploadpack.allowReachableSHA1InWant=true", service, path)
	cmd.Env = []string{"LC_ALL=C"}
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Dir = "/"
	cmd.WaitDelay = time.Second
	l := &local{cmd: cmd, stderr: &beginning{max: 4096}}
	cmd.Stderr = l.stderr
	var err error
	if l.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if l.out, err = cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start git: %w", err)
	}
	return l, nil
}

func (l *local) AdvertisedReferences() (*packp.AdvRefs, error) {
	return l.AdvertisedReferencesContext(context.Background())
}

func (l *local) AdvertisedReferencesContext(context.Context) (*packp.AdvRefs, error) {
	if l.refs != nil {
		return l.refs, nil
	}
	refs := packp.NewAdvRefs()
	if err := refs.Decode(l.out); err != nil && !errors.Is(err, packp.ErrEmptyAdvRefs) {
		if errors.Is(err, packp.ErrEmptyInput) {
			err = errors.New("git closed the connection")
		}
		return nil, l.explain(err)
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	l.refs = refs
	return refs, nil
}

func (l *local) UploadPack(_ context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	send := func() error {
		if err := req.UploadRequest.Encode(l.in); err != nil {
			return err
		}
		if err := req.UploadHaves.Encode(l.in, true); err != nil {
			return err
		}
		if err := pktline.NewEncoder(l.in).Encodef("done\n"); err != nil {
			return err
		}
		return l.in.Close()
	}
	if err := send(); err != nil {
		return nil, l.explain(err)
	}
	res := packp.NewUploadPackResponse(req)
	if err := res.Decode(io.NopCloser(l.out)); err != nil {
		return nil, l.explain(err)
	}
	return res, nil
}

func (l *local) ReceivePack(_ context.Context, req *packp.ReferenceUpdateRequest) (*packp.ReportStatus, error) {
	if err := req.Encode(l.in); err != nil {
		return nil, l.explain(err)
	}
	if err := l.in.Close(); err != nil {
		return nil, l.explain(err)
	}
	report := packp.NewReportStatus()
	if err := report.Decode(l.out); err != nil {
		return nil, l.explain(err)
	}
	if err := report.Error(); err != nil {
		_ = l.Close()
		if words := l.stderr.line(); words != "" {
			return report, fmt.Errorf("%w: %s", err, words)
		}
		return report, err
	}
	return report, nil
}

// Close ends the conversation and waits until git, and the hooks it may run,
// have ended. Errors of git after an interrupted conversation are ignored.
func (l *local) Close() error {
	if !l.waited {
		l.waited = true
		_ = l.in.Close()
		_ = l.out.Close()
		_ = l.cmd.Wait()
	}
	return nil
}

// explain ends the conversation after err and prefers the error message of git.
func (l *local) explain(err error) error {
	_ = l.Close()
	if message := l.stderr.line(); message != "" {
		return errors.New(message)
	}
	return err
}

// line returns the first line of the error message.
func (b *beginning) line() string {
	for s := range strings.Lines(b.buf.String()) {
		if s = text.Line(s, maxLine); s != "" && !strings.HasPrefix(s, "warning:") {
			return strings.TrimPrefix(s, "fatal: ")
		}
	}
	return ""
}

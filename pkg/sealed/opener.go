package sealed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path"
	"path/filepath"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of a child. Its answer has the values in base64.
const (
	patience  = 20 * time.Second
	maxAnswer = 2*MaxFile + 4096
)

// An Opener opens files. It is for concurrent use.
type Opener struct {
	Program string // reconciler-decrypt

	// Keys is a directory with a file of age keys for each tenant, by its name. Only the
	// child opens them. What is encrypted for one tenant is not opened for another one, who
	// may have copied it.
	Keys string
}

// Open returns the values of a file of a tenant. The error is a *Refusal, unless ctx has
// ended. A nil Opener has no keys and opens nothing.
func (o *Opener) Open(ctx context.Context, tenant, name string, data []byte) (map[string][]byte, error) {
	switch {
	case o == nil:
		return nil, &Refusal{CodeKeyFile, "the reconciler has no keys; start it with --sops-age-keys"}
	case !filepath.IsLocal(tenant) || filepath.Base(tenant) != tenant || tenant == ".":
		return nil, &Refusal{CodeKeyFile, "no file of keys can have the name of the tenant"}
	case len(data) > MaxFile:
		return nil, &Refusal{CodeFormat, fmt.Sprintf("it has more than %d bytes", MaxFile)}
	}
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	keys := filepath.Join(o.Keys, tenant)
	out, err := o.run(limited, keys, path.Ext(name), data, true)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return nil, &Refusal{CodeFormat, fmt.Sprintf("it was not opened within %s", patience)}
	case errors.As(err, new(*exec.ExitError)):
		return nil, &Refusal{CodeFormat, fmt.Sprintf("%s ended while it read it (%s)", path.Base(o.Program), err)}
	case err != nil:
		return nil, &Refusal{CodeKeyFile, fmt.Sprintf("run %s: %s", path.Base(o.Program), text.Line(err.Error(), 300))}
	}
	var a Answer
	if err := json.Unmarshal(out, &a); err != nil || a.Values == nil && a.Code == "" {
		return nil, &Refusal{CodeKeyFile, path.Base(o.Program) + " gave no answer; is it of this version?"}
	}
	if a.Code != "" {
		return nil, &Refusal{text.Line(a.Code, 6), text.Line(a.Message, 600)}
	}
	return a.Values, nil
}

// run runs a child: apart from the network, if that is asked for and the machine lets anybody start one in namespaces of its own.
func (o *Opener) run(ctx context.Context, keys, format string, data []byte, apart bool) ([]byte, error) {
	cmd := exec.CommandContext(ctx, o.Program, keys, format)
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdin = bytes.NewReader(data)
	cmd.SysProcAttr = alone(apart)
	cmd.WaitDelay = time.Second
	out := &bounded{limit: maxAnswer}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		if apart && mayNot(err) {
			return o.run(ctx, keys, format, data, false)
		}
		return nil, err
	}
	if err := cmd.Wait(); err != nil {
		return nil, err
	}
	return out.text, nil
}

// bounded keeps what is written to it, and refuses more than a limit.
type bounded struct {
	text  []byte
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(b.text)+len(p) > b.limit {
		return 0, errors.New("the answer is too long")
	}
	b.text = append(b.text, p...)
	return len(p), nil
}

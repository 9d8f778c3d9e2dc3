package chaos

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/signkey"
)

// process is a reconciler, which may run again and again.
type process struct {
	t       testing.TB
	args    []string
	program string
	address string // of its metrics
	log     string // file
	key     string // file
	public  string // the key
	state   string // directory
	repo    string
	pidFile string

	mu    sync.Mutex
	cmd   *exec.Cmd
	done  chan struct{} // closed when cmd has ended
	held  bool          // stays down when it is killed
	ended error         // it ended by itself
}

// newProcess returns a reconciler of a fleet that does not run yet.
func (w *world) newProcess(fleet, repo, kubeconfig, state string) *process {
	w.t.Helper()
	dir := w.t.TempDir()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(w.t, err)
	require.NoError(w.t, listener.Close())
	p := &process{t: w.t, program: w.program, address: listener.Addr().String(), log: filepath.Join(dir, "log"), state: state, repo: repo,
		pidFile: filepath.Join(dir, "pid")}
	key := filepath.Join(dir, "key")
	p.key = key
	p.public, err = signkey.WriteEd25519(key, "reconciler")
	require.NoError(w.t, err)
	p.args = []string{"run", "--repo", repo, "--status-key", key, "--state-dir", state, "--kubeconfig", kubeconfig,
		"--fleet", fleet, "--namespace-prefix", w.name + "-", "--listen", p.address, "--interval", "1s", "--log-level", "debug"}
	w.t.Cleanup(p.stop)
	return p
}

// start runs it. One that is killed is started again, as Kubernetes would.
func (p *process) start() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.run()
}

func (p *process) run() {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		p.ended = err
		return
	}
	defer log.Close()
	cmd, done := exec.Command(p.program, p.args...), make(chan struct{})
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(os.Environ(), "GOGC=", "GOMEMLIMIT=900MiB") // as in deploy/
	p.cmd, p.done, p.held = cmd, done, false
	if err := cmd.Start(); err != nil {
		p.ended = err
		close(done)
		return
	}
	if err := os.WriteFile(p.pidFile, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600); err != nil {
		p.ended = err
	}
	go p.attend(cmd, done)
}

func (p *process) attend(cmd *exec.Cmd, done chan struct{}) {
	_ = cmd.Wait() // how it ended stands in its state
	ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	p.mu.Lock()
	defer p.mu.Unlock()
	close(done)
	switch {
	case p.held:
	case ws.Signaled() && ws.Signal() == syscall.SIGKILL:
		p.run()
	default:
		p.ended = fmt.Errorf("the reconciler ended by itself: %s", cmd.ProcessState)
	}
}

// kill ends it at once, and it starts again.
func (p *process) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.cmd.Process.Kill()
}

// stop ends it at once, and it stays down until start.
func (p *process) stop() {
	p.mu.Lock()
	if p.cmd == nil {
		p.mu.Unlock()
		return
	}
	p.held = true
	_ = p.cmd.Process.Kill()
	done := p.done
	p.mu.Unlock()
	<-done
}

// unexpected returns how it ended by itself.
func (p *process) unexpected() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ended
}

func (p *process) pid() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cmd.Process.Pid
}

// get asks its own server.
func (p *process) get(path string) (string, error) {
	resp, err := http.Get("http://" + p.address + path)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}

// written is the size of its log.
func (p *process) written() int {
	info, err := os.Stat(p.log)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// logged returns what it wrote to its log after a size.
func (p *process) logged(after int) string {
	f, err := os.Open(p.log)
	if err != nil {
		return ""
	}
	defer f.Close()
	if _, err := f.Seek(int64(after), io.SeekStart); err != nil {
		return ""
	}
	b, _ := io.ReadAll(f)
	return string(b)
}

// says waits until the log has some text after a size.
func (w *world) says(text string, after int) error {
	return w.until("the log says "+text, func() error {
		if strings.Contains(w.reconciler.logged(after), text) {
			return nil
		}
		return fmt.Errorf("it does not")
	})
}

package dashboard

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/source/clone"
	"github.com/d-aros/d-aros/test/evaluators"
	"github.com/d-aros/d-aros/test/unraced"
)

// program is this test program as the child of a worker, which the race detector does not watch. Its first use builds it.
var program = func() (string, error) { return "", nil }

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "work" {
		work(os.Args[2])
	}
	dir, err := os.MkdirTemp("", "dashboard-")
	if err != nil {
		panic(err)
	}
	program = sync.OnceValues(func() (string, error) { return unraced.Program(dir) })
	code := evaluators.Main(m)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// work is the child: its drafts do what the priority that they set says. It writes into dir when a preview has begun.
func work(dir string) {
	err := Work(context.Background(), os.Stdin, os.Stdout, func() (*Desk, error) {
		ledger := small(0, "").Ledger
		branch := &memory{moments: []Moment{{Commit: commit(1), Ledger: ledger}}}
		return &Desk{Branch: branch, Drafts: unruly{&desk{}, dir}, Worked: func() time.Duration { return 0 }}, nil
	})
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// What the drafts of unruly set.
const (
	spins    = "1" // for ever
	hoards   = "2" // more memory than there is
	waits    = "3" // until nobody waits for the answer
	sleeps   = "4" // for ever
	panics   = "5"
	harmless = "6"
	works    = "7" // as long as nobody waits who only looks
	crowds   = "8" // more threads than there is memory for
)

type unruly struct {
	*desk
	dir string
}

var hoard [][]byte

func (u unruly) Preview(ctx context.Context, d offline.Draft) (offline.Preview, error) {
	does, _ := d.Edits[0].Value.([]byte)
	if does == nil {
		does = encoded(d.Edits[0].Value)
	}
	began := filepath.Join(u.dir, "began-"+string(does))
	err := os.WriteFile(began+"-whole", []byte(strconv.Itoa(os.Getpid())), 0o600)
	if err == nil {
		err = os.Rename(began+"-whole", began)
	}
	if err != nil {
		return offline.Preview{}, err
	}
	switch string(does) {
	case spins:
		for i := 0; ; i++ {
			if i < 0 {
				break
			}
		}
	case hoards:
		for {
			hoard = append(hoard, make([]byte, 64<<20))
		}
	case crowds:
		for {
			running := make(chan bool)
			go func() {
				runtime.LockOSThread()
				close(running)
				select {}
			}()
			<-running
		}
	case waits:
		<-ctx.Done()
		return offline.Preview{}, ctx.Err()
	case sleeps:
		select {}
	case panics:
		panic("a bug")
	case works:
		for used := (syscall.Rusage{}); used.Utime.Nano()+used.Stime.Nano() < int64(time.Second); {
			for i := 0; i < 1e7; i++ { // to ask the kernel all the time takes several times as long as it counts
				continue
			}
			if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
				return offline.Preview{}, err
			}
		}
	}
	return offline.Preview{Commit: strconv.Itoa(os.Getpid()), Changes: []clone.Change{{Name: "app.cue"}}}, nil
}

// employing returns a server of several people with two workers in children.
func employing(t *testing.T) (c *client, of []*Process, began func(does string) (pid int)) {
	command, err := program()
	require.NoError(t, err)
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{Viewers: []string{"*"}}
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	dir := t.TempDir()
	var all []Worker
	for range 2 {
		p := NewProcess(t.Context(), []string{command, "work", dir})
		t.Cleanup(p.Close)
		of, all = append(of, p), append(all, p)
	}
	s.Gate, s.Saver, s.Saves, s.workers = asks{}, &saver{}, SavesProposed, newBenches(all)
	return stranger(t, s), of, func(does string) (pid int) {
		name := filepath.Join(dir, "began-"+does)
		require.Eventually(t, func() bool {
			said, err := os.ReadFile(name)
			if err == nil {
				pid, err = strconv.Atoi(string(said))
			}
			return err == nil && os.Remove(name) == nil
		}, time.Minute, time.Millisecond)
		return pid
	}
}

// TestWorkersEndAlone: a draft that is decided on for long, or takes more memory than the kernel gives, ends its worker and nothing else. Pages go
// on meanwhile, others get their previews, and whoever asked gets the next one.
func TestWorkersEndAlone(t *testing.T) {
	c, of, began := employing(t)
	for _, p := range of {
		p.thinking = 300 * time.Millisecond
	}
	ask := func(user, does string) *httptest.ResponseRecorder {
		return c.post("preview", bodyOf("", does), "Test-User", user)
	}
	require.Equal(t, http.StatusOK, ask("ada", harmless).Code)
	memory := "more than 1 GiB of memory, so it was given up; make the change in the files of a clone"
	for does, says := range map[string]string{spins: "more than 300ms of CPU time, so it was given up; save the draft all the same", hoards: memory, crowds: memory} {
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- ask("ada", does) }()
		began(does)
		require.Equal(t, http.StatusOK, c.get("fleet", "Test-User", "bob").Code)
		require.Equal(t, http.StatusOK, ask("bob", harmless).Code)
		require.Contains(t, refused(t, http.StatusRequestEntityTooLarge, <-answered), says)
		require.Equal(t, http.StatusOK, ask("ada", harmless).Code)
	}
	require.Contains(t, refused(t, http.StatusBadRequest, ask("ada", panics)), "edit them by hand", "a bug ends the answer alone")
	require.Equal(t, http.StatusOK, ask("ada", harmless).Code)
}

// TestSavingHasMoreTime: a draft that takes too long to look at can be saved all the same, and the refusal says so. What takes too long then is for
// people to do in a clone.
func TestSavingHasMoreTime(t *testing.T) {
	c, of, _ := employing(t)
	for _, p := range of {
		p.thinking = 300 * time.Millisecond
	}
	looked := c.post("preview", bodyOf("", works), "Test-User", "ada")
	require.Contains(t, refused(t, http.StatusRequestEntityTooLarge, looked), "so it was given up; save the draft all the same")
	require.Contains(t, looked.Body.String(), `"reconciler plan --head BRANCH\"`)
	require.Contains(t, looked.Body.String(), `"saves": true`)
	save := func(does string) *httptest.ResponseRecorder {
		return c.post("branches", bodyOf(`,"name":"more"`, does), "Test-User", "ada")
	}
	require.Equal(t, http.StatusCreated, save(works).Code)
	for _, p := range of {
		p.saving = 300 * time.Millisecond
	}
	w := save(spins)
	require.Contains(t, refused(t, http.StatusRequestEntityTooLarge, w), "so it was given up; make the change in the files of a clone")
	require.NotContains(t, w.Body.String(), `"saves"`)
}

// TestKilledWorkers: who asked is told to ask again when the worker is killed in the middle of it. Where it was killed before, another one answers.
func TestKilledWorkers(t *testing.T) {
	c, _, began := employing(t)
	answered := make(chan *httptest.ResponseRecorder, 1)
	go func() { answered <- c.post("preview", bodyOf("", sleeps), "Test-User", "ada") }()
	require.NoError(t, killed(began(sleeps)))
	w := <-answered
	require.Contains(t, refused(t, http.StatusServiceUnavailable, w), "was killed; another one begins, so ask again")
	require.Equal(t, "2", w.Header().Get("Retry-After"))
	require.Equal(t, http.StatusOK, c.post("preview", bodyOf("", harmless), "Test-User", "ada").Code)
	require.NoError(t, killed(began(harmless)))
	require.Equal(t, http.StatusOK, c.post("preview", bodyOf("", harmless), "Test-User", "ada").Code)
}

func killed(pid int) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Kill()
}

// TestWorkersAreTold: the preview that another one replaces ends in its worker, which goes on with what it holds.
func TestWorkersAreTold(t *testing.T) {
	c, _, began := employing(t)
	first := make(chan *httptest.ResponseRecorder, 1)
	go func() { first <- c.post("preview", bodyOf("", waits), "Test-User", "ada") }()
	pid := began(waits)
	w := c.post("preview", bodyOf("", harmless), "Test-User", "ada")
	refused(t, http.StatusConflict, <-first)
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), `"base": "`+strconv.Itoa(pid)+`"`)
}

package pool

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/schema"
	"github.com/d-aros/d-aros/test/gittest"
)

const tenants = 100

//go:embed testdata/app.cue
var measuredApp string

// measuredRepo is a fleet repo with applications of three components that have
// four traits each, in 100 tenants, and what the reconciler reads of it.
type measuredRepo struct {
	*gittest.Repo
	t      testing.TB
	source *source.Repository
}

func grow(t testing.TB, n int) *measuredRepo {
	r := &measuredRepo{Repo: gittest.New(t), t: t}
	r.platform("64")
	r.Write("cue.mod/module.cue", "module: \"fleet.example\"\nlanguage: version: \"v0.17.0\"\n")
	for _, file := range schema.Files() {
		r.Write("cue.mod/pkg/"+schema.ImportPath+"/"+file.Name, string(file.Data))
	}
	for i := range tenants {
		r.tenant(i, "quota: workloads: 100")
	}
	for i := range n {
		r.application(i, "1")
	}
	var err error
	r.source, err = source.Open(t.Context(), source.Options{URL: r.Dir, Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { r.source.Close() })
	return r
}

func (r *measuredRepo) platform(cpu string) {
	r.Write("fleet.cue", `package fleet

import "`+schema.ImportPath+`"

schema.#Fleet
platform: {
	name: "example"
	policy: images: registries: ["ghcr.io/acme"]
	pools: general: capacity: {cpu: "`+cpu+`", memory: "256Gi"}
}
`)
	allotments := "package fleet\n\n"
	for i := range tenants {
		allotments += fmt.Sprintf("platform: allotments: t%02d: {}\n", i)
	}
	r.Write("allotments.cue", allotments)
}

func (r *measuredRepo) tenant(i int, says string) {
	r.Write(fmt.Sprintf("tenants/t%02d/tenant.cue", i), fmt.Sprintf("package fleet\n\ntenant: {name: \"t%02d\", %s}\n", i, says))
}

func directoryOf(i int) string { return fmt.Sprintf("tenants/t%02d/apps/app-%d", i%tenants, i) }

// application writes application i, with images of a version.
func (r *measuredRepo) application(i int, version string) {
	text := strings.NewReplacer("NAME", fmt.Sprintf("app-%d", i), "VERSION", version).Replace(measuredApp)
	r.Write(directoryOf(i)+"/app.cue", text)
}

func (r *measuredRepo) directories(n int) (dirs []string) {
	for i := range n {
		dirs = append(dirs, directoryOf(i))
	}
	return dirs
}

// snapshot commits what was written and reads it as the reconciler does.
func (r *measuredRepo) snapshot() source.Snapshot {
	r.Commit("change")
	snap, err := r.source.Snapshot(r.t.Context())
	require.NoError(r.t, err)
	return snap
}

// children are the processes that a pool has now.
func children(p *Pool) (pids []int) {
	for range cap(p.places) {
		child := <-p.places
		p.places <- child
		if child != nil {
			pids = append(pids, child.PID())
		}
	}
	return pids
}

// spent is the CPU time of this process and of those that it has waited for.
func spent(t testing.TB) (cpu time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		require.NoError(t, syscall.Getrusage(who, &u))
		cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return cpu
}

// spentBy is the CPU time of another process, in hundredths of a second.
func spentBy(t testing.TB, pid int) (cpu time.Duration) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	require.NoError(t, err)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
	for _, field := range fields[11:13] { // user and system
		ticks, err := strconv.Atoi(field)
		require.NoError(t, err)
		cpu += time.Duration(ticks) * 10 * time.Millisecond
	}
	return cpu
}

// mostMemory is the most resident memory that a process had so far, and how much
// of it are now the pages of the program, which all processes share, in bytes.
func mostMemory(t testing.TB, pid int) (most, shared int) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	require.NoError(t, err)
	field := func(name string) int {
		_, after, _ := strings.Cut(string(status), name+":")
		n, err := strconv.Atoi(strings.Fields(after)[0])
		require.NoError(t, err)
		return n << 10
	}
	return field("VmHWM"), field("RssFile")
}

package pool

import (
	"bytes"
	_ "embed"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/schema"
)

var apps = flag.Int("apps", 0, "measure the evaluation of a fleet of so many applications in 100 tenants")

const tenants = 100

//go:embed testdata/app.cue
var measuredApp string

// fleetOnDisk is a directory of which Git would know the digests.
type fleetOnDisk struct {
	fs.FS
	dir      string
	versions map[string]int
	changes  *int
}

func (f fleetOnDisk) Digest(name string) (string, error) {
	if name == "." {
		return strconv.Itoa(*f.changes), nil
	}
	return name + strconv.Itoa(f.versions[name]), nil
}

func (f fleetOnDisk) write(t *testing.T, name, text string) {
	*f.changes++
	f.versions[name]++
	f.versions[filepath.Dir(name)]++
	name = filepath.Join(f.dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

func grow(t *testing.T, n int) fleetOnDisk {
	dir := t.TempDir()
	f := fleetOnDisk{os.DirFS(dir), dir, map[string]int{}, new(int)}
	for name, file := range fleetOf(0).MapFS {
		f.write(t, name, string(file.Data))
	}
	f.write(t, "cue.mod/module.cue", "module: \"fleet.example\"\nlanguage: version: \"v0.17.0\"\n")
	for _, file := range schema.Files() {
		f.write(t, "cue.mod/pkg/"+schema.ImportPath+"/"+file.Name, string(file.Data))
	}
	for i := range tenants {
		name := fmt.Sprintf("t%02d", i)
		f.write(t, "tenants/"+name+"/tenant.cue", "package fleet\n\ntenant: name: \""+name+"\"\n")
	}
	for i := range n {
		name := fmt.Sprintf("app-%d", i)
		f.write(t, fmt.Sprintf("tenants/t%02d/apps/%s/app.cue", i%tenants, name), strings.ReplaceAll(measuredApp, "NAME", name))
	}
	return f
}

// spent is the CPU time of this process and of the children of a pool, and the
// most memory that they had.
func spent(t *testing.T, p *Pool) (cpu time.Duration, kilobytes int) {
	var u syscall.Rusage
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		require.NoError(t, syscall.Getrusage(who, &u))
		cpu += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	pids := []string{"self"}
	for range cap(p.places) {
		child := <-p.places
		p.places <- child
		if child != nil {
			pids = append(pids, strconv.Itoa(child.cmd.Process.Pid))
		}
	}
	for _, pid := range pids {
		status, err := os.ReadFile("/proc/" + pid + "/status")
		require.NoError(t, err)
		_, after, _ := strings.Cut(string(status), "VmHWM:")
		n, err := strconv.Atoi(strings.Fields(after)[0])
		require.NoError(t, err)
		kilobytes += n
		if pid == "self" {
			continue
		}
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		require.NoError(t, err)
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+2:]))
		for _, field := range fields[11:13] { // user and system time, in hundredths of a second
			ticks, err := strconv.Atoi(field)
			require.NoError(t, err)
			cpu += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return cpu, kilobytes
}

// TestMeasure prints what evaluation costs: make bench-evaluate.
func TestMeasure(t *testing.T) {
	if *apps == 0 {
		t.Skip("run it with make bench-evaluate")
	}
	n := *apps
	files := grow(t, n)
	answers := t.TempDir()
	p := open(t, Options{Dir: answers})
	e := evaluate.Through(p)
	var fleet model.Fleet
	var memory int
	measure := func(what string, rounds, per int, do func()) float64 {
		before, _ := spent(t, p)
		began := time.Now()
		for range rounds {
			do()
		}
		wall := time.Since(began)
		var after time.Duration
		after, memory = spent(t, p)
		ms := float64(after-before) / float64(time.Millisecond) / float64(rounds*per)
		fmt.Printf("%-40s %9.2f ms CPU %9.2f ms wall\n", what, ms, float64(wall)/float64(time.Millisecond)/float64(rounds*per))
		require.Empty(t, fleet.Problems)
		require.Len(t, fleet.Applications, n)
		return ms
	}
	pass := func() { fleet = e.Fleet("c", files, nil) }
	cold := measure(fmt.Sprintf("cold, each of %d applications", n), 1, n, pass)
	fmt.Printf("%-40s %9d MB\n", "most memory of all processes", memory/1024)
	const rounds = 50
	changed := 0
	measure("one application changed", rounds, 1, func() {
		changed++
		name := fmt.Sprintf("app-%d", changed%n)
		files.write(t, fmt.Sprintf("tenants/t%02d/apps/%s/app.cue", changed%n%tenants, name), strings.ReplaceAll(measuredApp, "NAME", name))
		pass()
	})
	measure(fmt.Sprintf("one tenant's policy changed (%d)", n/tenants), 5, 1, func() {
		changed++
		files.write(t, "tenants/t07/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {name: \"t07\", policy: limits: maxReplicas: %d}\n", changed%50+10))
		pass()
	})
	measure("nothing changed", rounds, 1, pass)
	measure("restart on an unchanged fleet", 1, 1, func() {
		p := open(t, Options{Dir: answers})
		fleet = evaluate.Through(p).Fleet("c", files, nil)
	})

	// cue holds all in one context, so it gets a part of the fleet.
	few := []string{"vet", "-c"}
	held := 0
	for i := 0; i < tenants && held < 200; i++ {
		few = append(few, fmt.Sprintf("./tenants/t%02d/...", i))
		held += n / tenants
	}
	vet := exec.Command(os.Args[0], append([]string{"cue"}, few...)...)
	vet.Dir = files.dir
	vet.Env = append(os.Environ(), "CUE_REGISTRY=none", "CUE_CACHE_DIR="+t.TempDir())
	out, err := vet.CombinedOutput()
	require.NoError(t, err, "%s", out)
	each := float64(vet.ProcessState.UserTime()+vet.ProcessState.SystemTime()) / float64(time.Millisecond) / float64(held)
	fmt.Printf("%-40s %9.2f ms CPU\n", fmt.Sprintf("cue vet, each of %d applications", held), each)
	fmt.Printf("%-40s %9.2f\n", "ratio of cold to cue vet", cold/each)
}

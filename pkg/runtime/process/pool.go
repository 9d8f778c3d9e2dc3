package process

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/durable"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/pkg/text"
)

// Bounds of the shared directory.
const (
	maxPools = 1_000
	maxHosts = 1_000
)

// Files of a pool.
const (
	planFile       = "plan.json"
	hostsDirectory = "hosts"
)

// pool is what the directory has of a pool.
type pool struct {
	hostplan.Plan
	hosts []host // by name
	dirty bool   // the plan differs from the file
}

// host is the last report of a host.
type host struct {
	hostplan.Report
	away bool // it has given no sign of life for too long
}

// read returns the pools, by name. It is an error if there are none: the directory may be that
// of a file system which is not mounted.
func (r *Runtime) read() (pools []*pool, err error) {
	entries, err := os.ReadDir(r.o.Dir)
	if err != nil {
		return nil, fmt.Errorf("read the directory of plain hosts: %w", err)
	}
	for _, e := range entries {
		if !e.IsDir() || !model.ValidName(e.Name()) || len(pools) == maxPools {
			continue
		}
		p, err := r.readPool(e.Name())
		if err != nil {
			return nil, fmt.Errorf("read what plain hosts of pool %s say: %w", e.Name(), err)
		}
		pools = append(pools, p)
	}
	if len(pools) == 0 {
		return nil, fmt.Errorf("no host has reported in %s yet: start \"nodeagent run --processes\" on one, or mount what is to be there", r.o.Dir)
	}
	return pools, nil
}

// readPool reads the plan of a pool and the reports of its hosts. A report that cannot be read
// is that of a host that is away.
func (r *Runtime) readPool(name string) (*pool, error) {
	p := &pool{Plan: hostplan.Plan{Fleet: r.o.Fleet, Pool: name}}
	dir := filepath.Join(r.o.Dir, name)
	entries, err := os.ReadDir(filepath.Join(dir, hostsDirectory))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		of, isReport := strings.CutSuffix(e.Name(), ".json")
		if !isReport || strings.HasPrefix(of, ".") || len(p.hosts) == maxHosts {
			continue
		}
		data, at, err := readFile(filepath.Join(dir, hostsDirectory, e.Name()))
		report := hostplan.Report{}
		if err == nil {
			report, err = hostplan.ParseReport(data)
		}
		h := host{Report: report, away: err != nil || time.Since(at) > r.o.Stale || report.Host != of || report.Pool != name}
		h.Host = of
		p.hosts = append(p.hosts, h)
	}
	data, _, err := readFile(filepath.Join(dir, planFile))
	if errors.Is(err, fs.ErrNotExist) {
		if last := p.latest(); last > 0 {
			return nil, fmt.Errorf("%s is gone, and its hosts keep generation %d: bring it back from the copy that each has in its state directory (processes-plan.json)",
				filepath.Join(dir, planFile), last)
		}
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	plan, err := hostplan.ParsePlan(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; bring it back from the copy that each host has in its state directory", filepath.Join(dir, planFile), err)
	}
	if plan.Fleet != r.o.Fleet || plan.Pool != name {
		return nil, fmt.Errorf("%s is of pool %s of fleet %q, and this is fleet %q", filepath.Join(dir, planFile), plan.Pool, text.Clean(plan.Fleet), r.o.Fleet)
	}
	p.Plan = plan
	return p, nil
}

// latest returns the latest generation that a host has.
func (p *pool) latest() (n int64) {
	for i := range p.hosts {
		n = max(n, p.hosts[i].Generation)
	}
	return n
}

// write gives the hosts a plan that is newer than all that they have.
func (r *Runtime) write(p *pool) error {
	p.Generation = max(p.Generation, p.latest()) + 1
	data, err := p.Encode()
	if err == nil {
		err = durable.Write(filepath.Join(r.o.Dir, p.Pool), planFile, data, 0o640) // it may have values that are not for everybody
	}
	if err != nil {
		return fmt.Errorf("write the plan of pool %s: %w", p.Pool, err)
	}
	r.wrote[p.Pool] = p.Plan
	return nil
}

// readFile reads a regular file of a bounded size, and when it changed.
func readFile(name string) ([]byte, time.Time, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, fmt.Errorf("%s is not a file", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	if opened, err := f.Stat(); err != nil || !os.SameFile(info, opened) {
		return nil, time.Time{}, cmp.Or(err, fs.ErrNotExist) // it was replaced: the next look finds the other
	}
	data, err := io.ReadAll(io.LimitReader(f, hostplan.MaxDocument+1))
	return data, info.ModTime(), err
}

// seen is a file of the directory as it was looked at last.
type seen struct {
	fs.FileInfo
	away bool // of a report: its host is
}

// same reports whether a file is as it was. A sign of life changes the time of a report, and
// nothing else.
func (s seen) same(before seen) bool {
	return before.FileInfo != nil && os.SameFile(s, before) && s.Size() == before.Size() && s.away == before.away &&
		(s.Name() != planFile || s.ModTime().Equal(before.ModTime()))
}

// look returns the files of the directory, and whether one differs from before.
func (r *Runtime) look(before map[string]seen, at time.Time) (now map[string]seen, changed bool) {
	plans, _ := filepath.Glob(filepath.Join(r.o.Dir, "*", planFile))
	hosts, _ := filepath.Glob(filepath.Join(r.o.Dir, "*", hostsDirectory, "*.json"))
	now = map[string]seen{}
	for _, name := range slices.Concat(plans, hosts) {
		info, err := os.Lstat(name)
		if err != nil || len(now) == maxPools+maxHosts {
			continue
		}
		s := seen{info, info.Name() != planFile && at.Sub(info.ModTime()) > r.o.Stale}
		changed = changed || !s.same(before[name])
		now[name] = s
	}
	return now, changed || len(now) != len(before)
}

// find returns a pool of the directory.
func find(pools []*pool, name string) (*pool, bool) {
	i := slices.IndexFunc(pools, func(p *pool) bool { return p.Pool == name })
	if i < 0 {
		return nil, false
	}
	return pools[i], true
}

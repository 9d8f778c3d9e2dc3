//go:build linux

package process

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"golang.org/x/sys/unix"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime/hostplan"
	"github.com/d-aros/d-aros/pkg/text"
)

// Host is what the operator of a host says about it: where it belongs, and what may run on it.
type Host struct {
	Name        string              `yaml:"name"`        // by default that of the machine
	Pool        string              `yaml:"pool"`        // that it is of
	Directory   string              `yaml:"directory"`   // shared with the reconciler
	Cgroup      string              `yaml:"cgroup"`      // group below which processes run
	Logs        string              `yaml:"logs"`        // directory of their output
	Labels      map[string]string   `yaml:"labels"`      // such as the zone
	Capacity    model.Resources     `yaml:"-"`           // for processes, by default that of the machine
	Programs    []string            `yaml:"programs"`    // that may be started, or directories of such
	Directories []string            `yaml:"directories"` // that they may be started in
	Users       map[string][]string `yaml:"users"`       // by tenant: as whom its programs may run
}

// document is the file of a host.
type document struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Host       `yaml:",inline"`
	Amounts    struct {
		CPU    string `yaml:"cpu"`
		Memory string `yaml:"memory"`
	} `yaml:"capacity"`
}

const (
	kindHost      = "ProcessHost"
	maxHostFile   = 1 << 20
	defaultCgroup = "d-aros"
	defaultLogs   = "/var/log/d-aros"
)

// hostName is what a host can be called: the name of its file in the shared directory.
var hostName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9.]{0,250}[a-z0-9])?$`)

// ParseHost reads the file of a host.
func ParseHost(data []byte) (h Host, err error) {
	var d document
	if len(data) > maxHostFile {
		return h, fmt.Errorf("%d bytes: at most %d are read", len(data), maxHostFile)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return h, fmt.Errorf("%s", text.Line(strings.ReplaceAll(err.Error(), " in type process.document", ""), 1000))
	}
	if d.APIVersion != hostplan.APIVersion || d.Kind != kindHost {
		return h, fmt.Errorf("apiVersion %q, kind %q: this agent reads %s %s", d.APIVersion, d.Kind, hostplan.APIVersion, kindHost)
	}
	if h = d.Host; h.Name == "" {
		if h.Name, err = os.Hostname(); err != nil {
			return h, fmt.Errorf("name: %w", err)
		}
		h.Name = strings.ToLower(h.Name)
	}
	h.Cgroup = cmp.Or(h.Cgroup, defaultCgroup)
	h.Logs = cmp.Or(h.Logs, defaultLogs)
	if h.Capacity, err = capacity(d.Amounts.CPU, d.Amounts.Memory); err != nil {
		return h, fmt.Errorf("capacity: %w", err)
	}
	return h, h.check()
}

func (h *Host) check() error {
	if !hostName.MatchString(h.Name) {
		return fmt.Errorf("name %q: want lower-case letters, digits, hyphens and points", h.Name)
	}
	if !model.ValidName(h.Pool) {
		return fmt.Errorf("pool %q: want the name of a pool of the platform", h.Pool)
	}
	for what, list := range map[string][]string{"directory": {h.Directory}, "logs": {h.Logs}, "programs": h.Programs, "directories": h.Directories} {
		for _, p := range list {
			if !filepath.IsAbs(p) || filepath.Clean(p) != p {
				return fmt.Errorf("%s %q: want an absolute path, as short as it can be written", what, p)
			}
		}
	}
	return nil
}

// capacity is what is written, and what the machine has where nothing is.
func capacity(cpu, memory string) (r model.Resources, err error) {
	r.CPU = int64(runtime.NumCPU()) * 1000
	if cpu != "" {
		if r.CPU, err = model.ParseCPU(cpu); err != nil {
			return r, err
		}
	}
	if memory != "" {
		r.Memory, err = model.ParseMemory(memory)
		return r, err
	}
	var info unix.Sysinfo_t
	err = unix.Sysinfo(&info)
	r.Memory = int64(info.Totalram) * int64(info.Unit)
	return r, err
}

// identity is as whom a program runs.
type identity struct {
	Name, Home string
	UID, GID   int
	Groups     []int
}

// allow returns as whom a program of a workload runs here, or why it does not.
func (h *Host) allow(w *hostplan.Workload) (identity, error) {
	p := &w.Program
	if !within(p.Command[0], h.Programs) {
		return identity{}, fmt.Errorf("program %s is none of those that this host starts (programs)", text.Clean(p.Command[0]))
	}
	if p.Directory != "" && !within(p.Directory, h.Directories) {
		return identity{}, fmt.Errorf("directory %s is none of those in which this host starts programs (directories)", text.Clean(p.Directory))
	}
	allowed := h.Users[w.App.Tenant]
	if len(allowed) == 0 {
		return identity{}, fmt.Errorf("tenant %s has no user on this host (users)", w.App.Tenant)
	}
	name := cmp.Or(p.User, allowed[0])
	if !slices.Contains(allowed, name) {
		return identity{}, fmt.Errorf("user %s is none of those of tenant %s on this host (users)", text.Clean(name), w.App.Tenant)
	}
	return lookUp(name)
}

// within reports whether a path is one of some paths, or below one. It compares whole names,
// and no path with a part that leads upwards is within any.
func within(p string, allowed []string) bool {
	if !filepath.IsAbs(p) || filepath.Clean(p) != p {
		return false
	}
	return slices.ContainsFunc(allowed, func(a string) bool {
		return p == a || a == "/" || strings.HasPrefix(p, a+"/")
	})
}

func lookUp(name string) (id identity, err error) {
	u, err := user.Lookup(name)
	if err != nil {
		return id, fmt.Errorf("find user %s of this host: %w", name, err)
	}
	id = identity{Name: u.Username, Home: u.HomeDir}
	groups, err := u.GroupIds()
	if err != nil {
		return id, fmt.Errorf("find the groups of user %s: %w", name, err)
	}
	for _, number := range append([]string{u.Uid, u.Gid}, groups...) {
		var n int
		if _, err := fmt.Sscan(number, &n); err != nil {
			return id, fmt.Errorf("user %s has the number %q", name, number)
		}
		id.Groups = append(id.Groups, n)
	}
	id.UID, id.GID, id.Groups = id.Groups[0], id.Groups[1], id.Groups[2:]
	return id, nil
}

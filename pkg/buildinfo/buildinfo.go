// Package buildinfo tells which version of D-AROS the running program is. It reads what the Go toolchain wrote into the
// program, so a build with make, with "go install" and from a release all tell the truth, and no linker flag can lie.
package buildinfo

import (
	"cmp"
	"runtime/debug"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/mod/module"
)

// Info describes a build.
type Info struct {
	Version string `json:"version"`          // v0.9.0, the pseudo-version of a commit between two releases, or devel
	Commit  string `json:"commit,omitempty"` // its 40 digits, or the first 12 after "go install" of a commit; "" if unknown
	Go      string `json:"goVersion"`        // of the toolchain, go1.26.0
}

// Read returns the build of the running program.
func Read() Info {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return Info{Version: devel}
	}
	return Of(b)
}

// devel is the version of a program that was built from files outside of any known commit.
const devel = "devel"

// Of picks the description from the build information of a program, running or not.
func Of(b *debug.BuildInfo) Info {
	info := Info{Version: cmp.Or(strings.Trim(b.Main.Version, "()"), devel), Go: b.GoVersion}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			info.Commit = s.Value
		}
	}
	if rev, err := module.PseudoVersionRev(strings.TrimSuffix(info.Version, "+dirty")); err == nil {
		info.Commit = cmp.Or(info.Commit, rev)
	}
	return info
}

// String writes the build for people: "v0.9.0 (commit 0123456789ab)".
func (i Info) String() string {
	if i.Commit == "" {
		return i.Version
	}
	return i.Version + " (commit " + i.Commit[:min(12, len(i.Commit))] + ")"
}

// Metric returns daros_build_info, a gauge that is always 1 and describes the build by its labels.
func (i Info) Metric() prometheus.Collector {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "daros_build_info", Help: "Always 1; the labels describe the build of this program.",
	}, []string{"version", "commit", "goversion"})
	g.WithLabelValues(i.Version, i.Commit, i.Go).Set(1)
	return g
}

package qos

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/model"
)

var update = flag.Bool("update", false, "write what was computed into testdata")

// Each file of testdata is a plan, a host and what the host does for the plan.
func TestResolve(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Len(t, ar.Files, 3, "want plan.yaml, host.json and enforcement")
			plan, err := Parse(ar.Files[0].Data)
			require.NoError(t, err)
			host := Host{Page: 4096}
			var doc struct {
				CPU, Memory string
				Groups      map[string]Group
				Controllers map[string]Version

				Disks, Lacks, Nested []string
				Costs                []string
				Link                 struct {
					Device, Rate, Lacks string
					Paces               bool
				}
			}
			dec := json.NewDecoder(strings.NewReader(string(ar.Files[1].Data)))
			dec.DisallowUnknownFields()
			require.NoError(t, dec.Decode(&doc))
			host.CPU, err = model.ParseCPU(doc.CPU)
			require.NoError(t, err)
			host.Memory, err = model.ParseMemory(doc.Memory)
			require.NoError(t, err)
			host.Groups, host.Controllers, host.Disks, host.Lacks = doc.Groups, doc.Controllers, doc.Disks, doc.Lacks
			host.Nested = doc.Nested
			for _, text := range doc.Costs {
				c, err := ParseDiskCost(text)
				require.NoError(t, err)
				host.DiskCosts = append(host.DiskCosts, c)
			}
			host.Link = Link{Device: doc.Link.Device, Lacks: doc.Link.Lacks, Paces: doc.Link.Paces}
			if doc.Link.Rate != "" {
				host.Link.Rate, err = model.ParseBitrate(doc.Link.Rate)
				require.NoError(t, err)
			}
			got := describe(Resolve(plan, host))
			if *update {
				ar.Files[2].Data = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(ar), 0o644))
			}
			require.Equal(t, string(ar.Files[2].Data), got)
		})
	}
}

func describe(e Enforcement) string {
	var b strings.Builder
	for _, s := range e.Settings {
		fmt.Fprintf(&b, "set %s/%s %s\n", s.Cgroup, s.File, s.Value)
	}
	for _, s := range e.Shares {
		fmt.Fprintf(&b, "share %s %s cores, %s reserved\n", s.Workload, model.FormatCPU(s.CPU), model.FormatCPU(s.Reserved))
	}
	if e.Uplink != nil {
		fmt.Fprintf(&b, "uplink %s %s\n", e.Uplink.Device, model.FormatBitrate(e.Uplink.Rate))
		for _, c := range e.Uplink.Classes {
			fmt.Fprintf(&b, "class %s: %s, burst %d quantum %d %v\n", c.Name, &c, Burst(c.Rate), c.Quantum(), c.Cgroups)
		}
	}
	for _, d := range e.Degradations {
		fmt.Fprintf(&b, "degraded %q %s → %s: %s\n", d.Workload, d.Promise, d.Instead, d.Reason)
	}
	return b.String()
}

// Whatever the plan and the host: knobs are known and in the host's version,
// values in range, a burst within its quota, children within their parents.
func TestSettingsHoldTheRulesOfTheKernel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genPlan(t), genHost(t)
		e := Resolve(plan, host)
		value := map[string]map[string]int64{}
		for _, s := range e.Settings {
			k, known := LookupKnob(s.File)
			require.True(t, known, s.File)
			require.Contains(t, []Version{host.Controllers[k.Controller], Absent}, k.Version, s.File)
			require.Equal(t, s.Value, Normal(s.File, s.Value))
			require.NoError(t, checkCgroup(s.Cgroup))
			if value[s.File] == nil {
				value[s.File] = map[string]int64{}
			}
			_, twice := value[s.File][s.Cgroup]
			require.False(t, twice, "%s of %s set twice", s.File, s.Cgroup)
			n := Size(s.File, s.Value)
			value[s.File][s.Cgroup] = n
			switch s.File {
			case "cpu.weight", "io.weight":
				require.True(t, n >= 1 && n <= 10000, "%s %d", s.File, n)
			case "cpu.shares":
				require.True(t, n >= minShares && n <= maxShares, "shares %d", n)
			case "cpu.cfs_quota_us":
				require.GreaterOrEqual(t, n, int64(leastQuota))
			}
		}
		for path, burst := range value["cpu.cfs_burst_us"] {
			require.LessOrEqual(t, burst, value["cpu.cfs_quota_us"][path])
		}
		for path, burst := range value["cpu.max.burst"] {
			require.LessOrEqual(t, burst*10, value["cpu.max"][path]) // Size of cpu.max is per million
		}
		for _, file := range []string{"memory.min", "memory.low"} {
			sum := map[string]int64{}
			for path, n := range value[file] {
				sum[parent(path)] += n
			}
			for dir, n := range sum {
				if dir != "" {
					require.Equal(t, n, value[file][dir], "%s of %s", file, dir)
				}
			}
		}
		for path, n := range value["memory.min"] {
			require.GreaterOrEqual(t, value["memory.low"][path], n)
		}
	})
}

// No controller names a knob of another, so two never set the same file.
func TestControllersKeepToTheirKnobs(t *testing.T) {
	owner := map[string]string{}
	for _, c := range controllers {
		for file := range c.knobs {
			require.Empty(t, owner[file], file)
			owner[file] = c.name
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := State{Plan: genPlan(t), Host: genHost(t)}
		for _, c := range controllers {
			r := decision{State: s}
			c.decide(&r)
			for _, set := range r.out.Settings {
				require.Equal(t, c.name, owner[set.File], set.File)
			}
		}
	})
}

func TestResolveIgnoresOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genPlan(t), genHost(t)
		host.CPU, host.Memory = 1<<30, 1<<50 // admission breaks ties by position, so let all fit
		want := Resolve(plan, host)
		plan.Workloads = rapid.Permutation(plan.Workloads).Draw(t, "order")
		require.Equal(t, want, Resolve(plan, host))
	})
}

// What was promised can be kept: reservations that stay add up to less than the host.
func TestAdmission(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan, host := genPlan(t), genHost(t)
		r := decision{State: State{Plan: plan, Host: host}}
		r.admit()
		var sum model.Resources
		for i, w := range r.Plan.Workloads {
			sum = sum.Add(w.Reserved)
			if !w.Reserved.IsZero() {
				require.Equal(t, plan.Workloads[i].Reserved, w.Reserved, "a kept reservation is kept whole")
			}
		}
		require.Less(t, sum.CPU, host.CPU)
		require.LessOrEqual(t, sum.Memory, host.Memory-host.Memory/20)
	})
}

// The order of writes: see [Order].
func TestOrderNeverBreaksAPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		host := genHost(t)
		before, after := Resolve(genPlan(t), host), Resolve(genPlan(t), host)
		now := map[[2]string]string{}
		for _, s := range before.Settings {
			now[[2]string{s.Cgroup, s.File}] = s.Value
		}
		want := map[[2]string]string{}
		for key := range now { // what is no longer wanted goes back to the default
			k, _ := LookupKnob(key[1])
			want[key] = k.Default
		}
		for _, s := range after.Settings {
			want[[2]string{s.Cgroup, s.File}] = s.Value
		}
		var changes []Change
		for _, key := range slices.SortedFunc(maps.Keys(want), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
			k, _ := LookupKnob(key[1])
			from, set := now[key]
			if !set {
				from = k.Default
				now[key] = from
			}
			if from != want[key] {
				changes = append(changes, Change{Setting: Setting{Cgroup: key[0], File: key[1], Value: want[key]}, From: from})
			}
		}
		Order(changes)
		check := func() {
			for _, file := range []string{"memory.min", "memory.low"} {
				sum := map[string]int64{}
				for key, v := range now {
					if key[1] == file && parent(key[0]) != "" {
						sum[parent(key[0])] += Size(file, v)
					}
				}
				for dir, n := range sum {
					require.LessOrEqual(t, n, Size(file, now[[2]string{dir, file}]), "%s below %s", file, dir)
				}
			}
			for key, v := range now {
				switch key[1] {
				case "cpu.cfs_burst_us":
					require.LessOrEqual(t, Size(key[1], v), Size("cpu.cfs_quota_us", now[[2]string{key[0], "cpu.cfs_quota_us"}]))
				case "cpu.max.burst":
					require.LessOrEqual(t, Size(key[1], v), Size("cpu.max", now[[2]string{key[0], "cpu.max"}])/10)
				}
			}
		}
		check()
		for _, c := range changes {
			now[[2]string{c.Cgroup, c.File}] = c.Value
			check()
		}
	})
}

func TestNormal(t *testing.T) {
	for _, c := range [][3]string{
		{"cpu.max", "max 100000\n", "max 100000"}, {"cpu.max", "20000", "20000 100000"},
		{"memory.limit_in_bytes", "9223372036854771712\n", "-1"}, {"memory.limit_in_bytes", "67108864\n", "67108864"},
		{"io.weight", "default 100\n8:0 50\n", "default 100"}, {"memory.max", "max\n", "max"},
	} {
		require.Equal(t, c[2], Normal(c[0], c[1]))
	}
	require.Equal(t, "253:0 target=5; 254:0 target=7", Normal("io.latency", "254:0 target=7\n253:0  target=5\n"))
	require.Equal(t, []string{"253:0 target=0", "254:0 target=8", "8:0 target=1"},
		Writes("io.latency", "253:0 target=5; 254:0 target=7; 8:16 target=2", "254:0 target=8; 8:0 target=1; 8:16 target=2"))
	require.Equal(t, []string{"1"}, Writes("cpu.weight", "2", "1"))
	require.Equal(t, int64(500_000), Size("cpu.max", "50000 100000"))
	require.Greater(t, Size("cpu.max", "max 100000"), Size("cpu.max", "100000 100000"))
	require.Greater(t, Size("cpu.cfs_quota_us", "-1"), Size("cpu.cfs_quota_us", "1000"))
}

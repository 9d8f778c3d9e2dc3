package nri

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/containerd/nri/pkg/api"
	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/qos"
)

// Each file goes into the field of which a runtime makes exactly that file, and what could keep a container from starting
// goes nowhere.
func TestAdjustment(t *testing.T) {
	own := &api.LinuxResources{
		Cpu:            &api.LinuxCPU{Quota: api.Int64(50_000), Period: api.UInt64(100_000)},
		Memory:         &api.LinuxMemory{Limit: api.Int64(64 << 20)},
		HugepageLimits: []*api.HugepageLimit{{PageSize: "2MB"}},
	}
	for _, c := range []struct {
		name     string
		settings string // file=value, with commas between them
		own      *api.LinuxResources
		unified  bool
		want     string // of linux.resources; "" for no adjustment
	}{
		{"processors and memory on v2", "cpu.weight=39,cpu.max=20000 100000,memory.min=1048576,memory.low=2097152,memory.high=3145728,memory.max=4194304,memory.oom.group=1", own, true,
			`{"unified":{"cpu.max":"20000 100000","cpu.weight":"39","memory.high":"3145728","memory.low":"2097152","memory.max":"4194304","memory.min":"1048576","memory.oom.group":"1"}}`},
		{"a set of processors on v2", "cpuset.cpus=2-3", own, true, `{"cpu":{"cpus":"2-3"}}`},
		{"files that not each kernel has, and with a line for each disk", "cpu.max.burst=1000,io.weight=default 50,io.max=8:0 rbps=1 wbps=max riops=max wiops=max,io.latency=8:0 target=1000", own, true, ""},
		{"processes", "pids.max=100", nil, true, `{"pids":{"limit":100}}`},
		{"huge pages of a size that the host has, and of another", "hugetlb.2MB.max=4194304,hugetlb.1GB.max=1073741824", own, true, `{"hugepage_limits":[{"page_size":"2MB","limit":4194304}]}`},
		{"v1", "cpu.shares=512,cpu.cfs_period_us=100000,cpu.cfs_quota_us=50000,cpu.cfs_burst_us=0,memory.limit_in_bytes=67108864,hugetlb.2MB.limit_in_bytes=2097152", own, false,
			`{"cpu":{"shares":{"value":512},"quota":{"value":50000},"period":{"value":100000}},"memory":{"limit":{"value":67108864}},"hugepage_limits":[{"page_size":"2MB","limit":2097152}]}`},
		{"v1, above the bounds of the container", "cpu.cfs_period_us=100000,cpu.cfs_quota_us=50001,memory.limit_in_bytes=67108865", own, false, ""},
		{"v1, where the container has no bounds", "cpu.cfs_period_us=100000,cpu.cfs_quota_us=50000,memory.limit_in_bytes=67108864,hugetlb.2MB.limit_in_bytes=2097152", nil, false, ""},
		{"v1, a set of processors", "cpuset.cpus=2-3", own, false, ""},
		{"a controller of v2 beside others of v1", "memory.min=1048576,cpu.shares=512", own, false, `{"cpu":{"shares":{"value":512}}}`},
		{"no amounts", "pids.max=max,cpu.shares=-1", own, true, ""},
		{"nothing", "", own, true, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var settings []qos.Setting
			for _, s := range strings.Split(c.settings, ",") {
				file, value, _ := strings.Cut(s, "=")
				settings = append(settings, qos.Setting{File: file, Value: value})
			}
			got := adjustment(settings, c.own, c.unified)
			if c.want == "" {
				require.Nil(t, got)
				return
			}
			text, err := json.Marshal(got)
			require.NoError(t, err)
			require.JSONEq(t, `{"linux":{"resources":`+c.want+`}}`, string(text))
		})
	}
}

// A file that a runtime is to write is one that settings may name.
func TestPlainFilesAreKnobs(t *testing.T) {
	for _, file := range plain {
		knob, ok := qos.LookupKnob(file)
		require.True(t, ok && knob.Version == qos.V2 && !knob.PerDevice() && !knob.Root, file)
	}
}

//go:build linux

package pool

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/test/cgrouptest"
)

// Children never come to more than their memory together, and are at least so many, however little that is.
func TestDivide(t *testing.T) {
	for _, c := range []struct {
		memory      int64
		cpus, least int
		n           int
		each        int64
	}{
		{0, 1, 1, 1, 512 << 20},
		{0, 1, 2, 2, 512 << 20},
		{0, 64, 2, 4, 512 << 20},
		{384 << 20, 4, 2, 2, 192 << 20},
		{640 << 20, 4, 2, 3, 640 << 20 / 3},
		{640 << 20, 2, 2, 2, 320 << 20},
		{20 << 30, 8, 2, 4, 512 << 20},
		{100 << 20, 8, 2, 2, 50 << 20},
	} {
		n, each := divide(c.memory, c.cpus, c.least)
		require.Equal(t, []any{c.n, c.each}, []any{n, each}, "%+v", c)
		if c.memory > 0 {
			require.LessOrEqual(t, int64(n)*each, c.memory)
		}
	}
}

const (
	insideLimit = "POOL_TEST_INSIDE"
	ownShare    = 320 << 20
	allChildren = 384 << 20
)

// Eight memory bombs of eight tenants at once stay below the limit of a container of 1 GiB, in which this process and its
// children have the shares that cmd/reconciler gives them. Each is told so, and the next application is evaluated.
func TestMemoryBombsStayBelowTheLimit(t *testing.T) {
	if os.Getenv(insideLimit) != "" {
		bombMemory(t)
		return
	}
	bombsTakeSeconds(t)
	cgrouptest.V1(t, "memory")
	const limit = 1 << 30
	group := cgrouptest.Group(t, cgrouptest.Root+"/memory", cgrouptest.Name(t))
	cgrouptest.Write(t, group, "memory.limit_in_bytes", strconv.Itoa(limit))
	cmd := cgrouptest.Command("exec '"+program+"' -test.v -test.run='^"+t.Name()+"$'", group)
	cmd.Env = append(os.Environ(), insideLimit+"=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	most, err := strconv.Atoi(cgrouptest.Read(t, group, "memory.max_usage_in_bytes"))
	require.NoError(t, err)
	t.Logf("%s%d MiB at most", out, most>>20)
	require.Less(t, most, ownShare+allChildren, "four children of 512 MiB took 1004 MiB")
	require.Equal(t, "0", cgrouptest.Read(t, group, "memory.failcnt"), "it was never at the limit")
}

func bombMemory(t *testing.T) {
	debug.SetMemoryLimit(ownShare)
	p := open(t, Options{Memory: allChildren, Deadline: time.Minute})
	e := evaluate.Through(p)
	var tenants []string
	for i := range 8 {
		tenants = append(tenants, fmt.Sprint("t", i))
	}
	files := fleetOf(0, tenants...)
	for i, tenant := range tenants {
		b := []bomb{bombs[1], bombs[2]}[i%2]
		imports := ""
		if b.imports != "" {
			imports = "import \"" + b.imports + "\"\n\n"
		}
		files.put("tenants/"+tenant+"/apps/bomb/app.cue", "package fleet\n\n"+imports+"application: {\n\tname: \"bomb\"\n"+b.source+"\n}\n")
	}
	f := e.Fleet("c", files, nil)
	require.Len(t, codes(&f)["DA1017"], len(tenants), codes(&f))
	files.app("t0", "fine", 7)
	require.Len(t, e.Fleet("c", files, nil).Applications, 1)
}

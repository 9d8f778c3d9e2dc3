package wasm

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/test/runtimetest"
)

// patience bounds each wait, on a busy machine.
const patience = time.Minute

// Modules, written by hand. Each exports its memory and _start, and imports proc_exit.
var (
	endless = module(0x03, 0x40, 0x0c, 0x00, 0x0b)                                                                   // loop br 0 end
	endsBy3 = module(0x41, 0x03, 0x10, 0x00)                                                                         // i32.const 3, call proc_exit
	endsBy0 = module()                                                                                               // nothing
	traps   = module(0x00)                                                                                           // unreachable
	grows   = module(0x03, 0x40, 0x41, 0x10, 0x40, 0x00, 0x41, 0x7f, 0x46, 0x04, 0x40, 0x00, 0x0b, 0x0c, 0x00, 0x0b) // 16 pages more, until it gets none: then it traps
)

// module returns a module whose _start has a body.
func module(body ...byte) []byte {
	section := func(id byte, content ...byte) []byte { return append([]byte{id, byte(len(content))}, content...) }
	name := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	join := func(parts ...[]byte) (all []byte) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	code := append(append([]byte{0}, body...), 0x0b)
	return join(
		[]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 2, 0x60, 1, 0x7f, 0, 0x60, 0, 0),
		section(2, join([]byte{1}, name("wasi_snapshot_preview1"), name("proc_exit"), []byte{0, 0})...),
		section(3, 1, 1),
		section(5, 1, 0, 1),
		section(7, join([]byte{2}, name("memory"), []byte{2, 0}, name("_start"), []byte{0, 1})...),
		section(10, append([]byte{1, byte(len(code))}, code...)...),
	)
}

var files = fstest.MapFS{
	"endless.wasm": {Data: endless}, "three.wasm": {Data: endsBy3}, "zero.wasm": {Data: endsBy0}, "traps.wasm": {Data: traps}, "grows.wasm": {Data: grows},
}

// properties of a component that runs a module.
func properties(name string) []byte {
	return fmt.Appendf(nil, `{"module":%q,"digest":"sha256:%x","backoffLimit":0}`, name, sha256.Sum256(files[name].Data))
}

var platform = &model.Platform{Pools: []model.PoolSpec{{Name: "modules", Runtimes: []string{"wasm"}, OS: []string{"linux"}, Capacity: &model.Resources{CPU: 2000, Memory: 1 << 30}}}}

// open opens an adapter that is in a hurry.
func open(t testing.TB) *Runtime {
	r := New(Options{Launcher: []string{launcher, "module"}, Logs: t.TempDir(), Backoff: 10 * time.Millisecond, Steady: 20 * time.Millisecond})
	t.Cleanup(r.Close)
	return r
}

// filed gives assignments the files of the test.
type filed struct{ *Runtime }

func (f filed) Act(ctx context.Context, list []runtime.Assignment) runtime.Report {
	for i := range list {
		list[i].Files = func(string) (fs.FS, error) { return files, nil }
	}
	return f.Runtime.Act(ctx, list)
}

// TestConformance holds the adapter to the contract of all runtimes, with real modules in children.
func TestConformance(t *testing.T) {
	runtimetest.Run(t, runtimetest.Subject{
		Open:    func(t testing.TB) runtime.Adapter { return filed{open(t)} },
		Forgets: true,
		Tenant:  model.Tenant{Name: "acme"}, Platform: platform,
		Program: model.Component{
			Type: "worker", Runtime: "wasm", OS: "linux", Requests: model.Resources{CPU: 10, Memory: 1 << 20}, QoS: model.Burstable, Properties: properties("endless.wasm"),
		},
		Ending:   properties("zero.wasm"),
		Crashing: properties("three.wasm"), ExitCode: 3,
	})
}

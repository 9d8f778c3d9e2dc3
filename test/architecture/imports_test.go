package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A ban says which imports production code may not have, and why.
type ban struct {
	paths  []string // import paths; one that ends in "/" stands for all below it
	but    []string // import paths that it leaves out
	lines  []string // of the picture where it holds; nil: everywhere
	except []string // packages that may
	why    string
}

// pure are the lines whose functions depend on their arguments alone.
var pure = []string{"words", "language", "layers", "stages", "types", "core", "turn"}

var bans = []ban{
	{
		paths: []string{"unsafe"},
		why:   "a plain way that is a little slower is better: golang.org/x/sys wraps what the kernel wants as a pointer",
	}, {
		paths: []string{"os", "os/", "syscall", "golang.org/x/sys/", "path/filepath"},
		lines: pure,
		why:   "a decision depends on its arguments alone, not on the machine that makes it: take values or an fs.FS",
	}, {
		paths: []string{"net", "net/", "context"},
		but:   []string{"net/netip"}, // addresses as values
		lines: pure,
		why:   "the core cannot block: an edge fetches, the loop hands over",
	}, {
		paths: []string{"math/rand", "math/rand/v2", "crypto/rand"},
		lines: pure,
		why:   "a decision must come out the same tomorrow: break ties by name",
	}, {
		paths: []string{"sync", "sync/", "golang.org/x/sync/"},
		lines: pure,
		why:   "the core has no goroutines and no shared state: the caller that wants concurrency brings it",
	}, {
		paths: []string{"log", "log/", "k8s.io/klog/"},
		lines: append([]string{"plumbing", "edges", "contract", "runtimes"}, pure...),
		why:   "return what happened: the loop says it, once",
	}, {
		paths:  []string{"cuelang.org/", "cuelabs.dev/"},
		except: []string{"pkg/evaluate/layer", "pkg/evaluate/cuefile", "schema/jsonschema"},
		why:    "only the layers know CUE, those who edit their files, and the schema for editors: everybody else works with documents or model.Fleet",
	}, {
		paths:  []string{"github.com/go-git/"},
		except: []string{"pkg/git"},
		why:    "pkg/git is the only way to Git objects: it bounds and verifies what it reads",
	}, {
		paths:  []string{module + "pkg/git"},
		except: []string{"pkg/source", "pkg/source/clone", "pkg/source/pinned", "pkg/status"},
		why:    "only source and status know Git: everybody else takes a snapshot, a clone.Tree or a status.Saved",
	}, {
		paths:  []string{"k8s.io/"},
		except: []string{"pkg/render", "pkg/render/component", "pkg/render/trait", "pkg/render/manifest", "pkg/render/declared", "pkg/apply", "pkg/runtime/kubernetes", "cmd/reconciler"},
		why:    "only render, apply and the adapter know Kubernetes, and the command that connects them to a cluster",
	}, {
		paths:  []string{module + "pkg/apply"},
		except: []string{"pkg/runtime/kubernetes"},
		why:    "applying is the adapter's own: everybody else speaks of runtime.Assignment and runtime.Outcome",
	}, {
		paths:  []string{module + "pkg/runtime/kubernetes"},
		except: []string{"cmd/reconciler"},
		why:    "the loop knows the contract and no adapter: the command connects them",
	}, {
		paths:  []string{"sigs.k8s.io/kustomize/"},
		except: []string{"pkg/render/kustomize"},
		why:    "kustomize runs behind the guards of its package, in a process that has limits",
	}, {
		paths:  []string{"helm.sh/", "github.com/Masterminds/sprig/"},
		except: []string{"pkg/render/chart"},
		why:    "templates run behind the guards of their package, in a process that has limits",
	}, {
		paths:  []string{"sigs.k8s.io/cli-utils/"},
		except: []string{"pkg/apply", "pkg/runtime/kubernetes"},
		why:    "inventories and readiness are the business of the edges to the cluster",
	}, {
		paths:  []string{"os/exec"},
		except: []string{"pkg/git", "pkg/source/clone", "pkg/leashed", "pkg/sealed", "pkg/runtime/wasm"},
		why:    "no program is run with what people wrote: only git itself, for repositories on the same disk, this program, and the one that decrypts",
	}, {
		paths:  []string{module + "pkg/arbitration/follow"},
		except: []string{"pkg/reconcile"},
		why:    "only the loop rules again and again on almost the same inputs: everybody else calls arbitration.Decide",
	}, {
		paths: []string{"testing", "testing/", "github.com/stretchr/testify/", "pgregory.net/rapid"},
		why:   "a program does not contain its tests",
	},
}

func (b ban) covers(imported string) bool {
	return !slices.Contains(b.but, imported) && slices.ContainsFunc(b.paths, func(p string) bool {
		return imported == p || strings.HasSuffix(p, "/") && strings.HasPrefix(imported, p)
	})
}

func TestBannedImports(t *testing.T) {
	p := readPicture(t)
	for _, f := range folders(t) {
		if f.support() {
			continue
		}
		for _, b := range bans {
			if slices.Contains(b.except, f.dir) || b.lines != nil && !slices.Contains(b.lines, p.line(f.dir)) {
				continue
			}
			for _, file := range f.production() {
				for _, imported := range file.imports {
					if b.covers(imported) {
						t.Errorf("%s imports %s: %s", file.path, imported, b.why)
					}
				}
			}
		}
	}
}

// TestBansAreAboutThePicture keeps bans from being void because of a misspelt line or package.
func TestBansAreAboutThePicture(t *testing.T) {
	p := readPicture(t)
	for _, b := range bans {
		for _, line := range b.lines {
			require.Contains(t, p.names, line, "a ban speaks of a line that is not in the picture")
		}
		for _, dir := range b.except {
			require.Contains(t, p.height, dir, "a ban excepts a package that is not in the picture")
		}
	}
}

// notLinked is what a program does not contain, not even through others.
var notLinked = map[string]struct {
	paths []string
	why   string
}{
	"cmd/nodeagent": {
		paths: []string{
			"cuelang.org/", "github.com/go-git/", "sigs.k8s.io/kustomize/", "helm.sh/", "k8s.io/client-go/", "k8s.io/apimachinery/",
			module + "pkg/render", module + "pkg/evaluate", module + "pkg/git", module + "pkg/reconcile",
		},
		why: "it runs as root on every node and should be small enough to read",
	},
	"cmd/reconciler": {
		paths: []string{module + "pkg/qos/cgroup", module + "pkg/qos/network", module + "pkg/nodeagent", module + "pkg/sops", "filippo.io/age", "filippo.io/age/", "github.com/getsops/"},
		why:   "it runs without rights on any machine, and leaves what is encrypted to a process of its own",
	},
	"cmd/reconciler-decrypt": {
		paths: []string{
			"net", "net/", "crypto/tls", "log", "log/", "k8s.io/", "cuelang.org/", "github.com/go-git/", "github.com/getsops/",
			module + "pkg/git", module + "pkg/render", module + "pkg/status",
		},
		why: "it holds a key and values of secrets: it reaches no network and says nothing but its answer",
	},
}

// TestLinkedPackages asks the go command, as only that finds dependencies of dependencies. The answer depends on the
// sources and go.mod, which this process has read, too.
func TestLinkedPackages(t *testing.T) {
	folders(t)
	read(t, "go.mod")
	for command, rule := range notLinked {
		if _, err := os.Stat(filepath.Join("..", "..", command)); err != nil {
			t.Errorf("%s: %v", command, err)
			continue
		}
		list := exec.Command("go", "list", "-deps", "./"+command)
		list.Dir = filepath.Join("..", "..")
		list.Env = append(os.Environ(), "GOOS=linux")
		out, err := list.Output()
		require.NoError(t, err, "list what %s links", command)
		for dep := range strings.FieldsSeq(string(out)) {
			if (ban{paths: rule.paths}).covers(dep) {
				t.Errorf("%s links %s: %s", command, dep, rule.why)
			}
		}
	}
}

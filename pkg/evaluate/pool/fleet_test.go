package pool

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"testing/fstest"

	"github.com/d-aros/d-aros/schema"
)

// tree is a fleet's files.
type tree struct{ fstest.MapFS }

func (t tree) Digest(name string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(t, name, func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			data, _ := fs.ReadFile(t, name)
			fmt.Fprintf(h, "%s %d\n%s", name, len(data), data)
		}
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

func (t tree) put(name, text string) {
	t.MapFS[name] = &fstest.MapFile{Data: []byte(text), Mode: 0o644}
}

// fleetOf has n applications in each of the tenants.
func fleetOf(n int, tenants ...string) tree {
	t := tree{fstest.MapFS{}}
	t.put("fleet.cue", `package fleet

import "`+schema.ImportPath+`"

schema.#Fleet
platform: {
	name: "example"
	policy: images: registries: ["ghcr.io/acme"]
	pools: general: capacity: {cpu: "64", memory: "256Gi"}
}
`)
	for _, tenant := range tenants {
		t.put("allotment-"+tenant+".cue", "package fleet\n\nplatform: allotments: \""+tenant+"\": {}\n")
		t.put("tenants/"+tenant+"/tenant.cue", "package fleet\n\ntenant: name: \""+tenant+"\"\n")
		for i := range n {
			t.app(tenant, fmt.Sprintf("app-%d", i), 100)
		}
	}
	return t
}

func (t tree) app(tenant, name string, priority int) {
	t.put("tenants/"+tenant+"/apps/"+name+"/app.cue", fmt.Sprintf(`package fleet

application: {
	name:     %q
	priority: %d
	components: main: {type: "worker", properties: image: "ghcr.io/acme/%s:1"}
}
`, name, priority, name))
}

// fleetWith has one sound application, and one that is a bomb.
func fleetWith(b bomb) tree {
	t := fleetOf(1, "acme")
	text := "package fleet\n\n"
	if b.imports != "" {
		text += "import \"" + b.imports + "\"\n\n"
	}
	t.put("tenants/acme/apps/bomb/app.cue", text+"application: {\n\tname: \"bomb\"\n"+b.source+"\n}\n")
	return t
}

func isBomb(request []byte) bool { return bytes.Contains(request, []byte("\x64name\x64bomb")) } // in CBOR

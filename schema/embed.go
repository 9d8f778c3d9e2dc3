// Package schema embeds the CUE schema of a fleet, so that people, their tools and the
// reconciler read the same rules. It decides nothing: package evaluate applies it. The
// files belong to the package, and nobody may change them.
package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
)

// ImportPath is the path by which a fleet repo imports the schema.
const ImportPath = "d-aros.dev/schema"

//go:generate go test ../pkg/evaluate -run TestVendoredSchemaIsTheSchema -update

//go:embed *.cue
var files embed.FS

// A File is one file of the schema.
type File struct {
	Name string
	Data []byte
}

// Files returns the files of the schema by name. The caller must not change them.
func Files() []File { return all }

var all = read()

func read() []File {
	names, err := fs.Glob(files, "*.cue") // sorted
	if err != nil {
		panic(err)
	}
	var out []File
	for _, name := range names {
		data, err := files.ReadFile(name)
		if err != nil {
			panic(err)
		}
		out = append(out, File{name, data})
	}
	return out
}

// Digest identifies the schema by its content.
func Digest() string {
	h := sha256.New()
	for _, f := range all {
		fmt.Fprintf(h, "%s %d\n", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// manifests packs deploy/ with the version and the digest of each image that was made.
func (r *release) manifests() error {
	deploy := os.DirFS(filepath.Join(r.dir, "deploy"))
	var files []packed
	pinned := map[string]bool{}
	err := fs.WalkDir(deploy, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isManifest(name) {
			return err
		}
		data, err := fs.ReadFile(deploy, name)
		if err != nil {
			return err
		}
		for program, digest := range r.digests {
			pattern := unreleased(program)
			if path.Base(name) == "kustomization.yaml" && pattern.Match(data) {
				pinned[program] = true
				data = pattern.ReplaceAll(data, []byte("${1}newTag: "+r.version+`, digest: "`+digest+`"}`))
			}
		}
		files = append(files, packed{name, 0o644, data})
		return nil
	})
	if err != nil {
		return err
	}
	for program := range r.digests {
		if !pinned[program] {
			return fmt.Errorf("no kustomization in deploy/ has the image of %s with \"newTag: unreleased\", so none can name its version", program)
		}
	}
	return r.writeArchive("d-aros_"+r.version+"_kustomize", files)
}

// isManifest reports whether a file below deploy/ is for those who deploy.
func isManifest(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".json") || name == "README.md"
}

// unreleased matches the image of a program in a kustomization of the checkout.
func unreleased(program string) *regexp.Regexp {
	return regexp.MustCompile(`(\{name: ` + program + `, newName: [^,}]+, )newTag: unreleased\}`)
}

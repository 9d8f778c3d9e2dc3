package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// beside has the programs without an image of their own, with the one in whose image they are.
var beside = map[string]string{"reconciler-decrypt": "reconciler"}

// user is nobody in particular. The node agent needs root, which its DaemonSet asks for.
const user = "65532:65532"

// images writes an OCI layout for each program, oci/PROGRAM, with an image for each architecture.
func (r *release) images() error {
	r.digests = map[string]string{}
	for _, b := range r.binaries {
		if r.digests[b.program] != "" || beside[b.program] != "" {
			continue
		}
		index, err := r.index(b.program)
		if err != nil {
			return err
		}
		digest, err := index.Digest()
		if err != nil {
			return err
		}
		r.digests[b.program] = digest.String()
		at, err := layout.Write(filepath.Join(r.out, "oci", b.program), mutate.IndexMediaType(empty.Index, types.OCIImageIndex))
		if err != nil {
			return err
		}
		named := layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})
		if err := at.AppendIndex(index, named); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) index(program string) (v1.ImageIndex, error) {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range r.binaries {
		if b.program != program {
			continue
		}
		image, err := r.image(b)
		if err != nil {
			return nil, err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: b.arch}},
		})
	}
	return mutate.Annotations(index, r.labels(program)).(v1.ImageIndex), nil
}

// image is one layer on scratch with the program, and those that belong beside it.
func (r *release) image(b binary) (v1.Image, error) {
	var files []packed
	for _, other := range r.binaries {
		if other.arch != b.arch || other.program != b.program && beside[other.program] != b.program {
			continue
		}
		data, err := os.ReadFile(other.file)
		if err != nil {
			return nil, err
		}
		files = append(files, packed{"usr/local/bin/" + other.program, 0o755, data})
	}
	target := "usr/local/bin/" + b.program
	var content bytes.Buffer
	if err := writeTar(&content, r.time, files); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content.Bytes())), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	created := v1.Time{Time: r.time}
	image, err := mutate.ConfigFile(mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON), &v1.ConfigFile{
		Architecture: b.arch, OS: "linux", Created: created,
		RootFS: v1.RootFS{Type: "layers"},
		Config: v1.Config{User: user, Entrypoint: []string{"/" + target}, Labels: r.labels(b.program)},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: created, CreatedBy: "go build ./cmd/" + b.program}})
}

// labels are the annotations that the OCI image specification predefines.
func (r *release) labels(program string) map[string]string {
	i := slices.IndexFunc(r.binaries, func(b binary) bool { return b.program == program })
	return map[string]string{
		"org.opencontainers.image.title":    program,
		"org.opencontainers.image.version":  r.version,
		"org.opencontainers.image.revision": r.commit,
		"org.opencontainers.image.source":   "https://" + r.binaries[i].build.Main.Path,
		"org.opencontainers.image.licenses": "Apache-2.0",
	}
}

package pinned

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/d-aros/d-aros/pkg/model"
)

// chartLayer is the type of the layer that has the chart in an artefact of Helm.
const chartLayer = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"

// Files in which an artefact is kept.
const (
	manifestFile = "manifest.json"
	contentFile  = "content.tgz"
)

// fetchArtefact fetches the artefact of a digest and keeps it, if it is that.
func (s *Store) fetchArtefact(p wanted, as login) error {
	repository, err := name.NewRepository(strings.TrimPrefix(p.Repository, model.Registry), name.StrictValidation)
	if err != nil {
		return errors.New("its address is none of a registry")
	}
	who := authn.Anonymous
	if as != (login{}) {
		who = authn.FromConfig(authn.AuthConfig{Username: as.user, Password: as.password})
	}
	image, err := remote.Image(repository.Digest(p.Version), remote.WithContext(s.ctx), remote.WithTransport(s.through(repository.RegistryStr(), as.tokens)), remote.WithAuth(who))
	if err != nil {
		return as.shown(err)
	}
	raw, err := image.RawManifest() // the library has compared it with the digest
	if err != nil {
		return as.shown(err)
	}
	at, err := contentOf(raw)
	if err != nil {
		return err
	}
	layer, err := image.LayerByDigest(at.Digest)
	if err != nil {
		return as.shown(err)
	}
	sent, err := layer.Compressed()
	if err != nil {
		return as.shown(err)
	}
	defer sent.Close()
	content, err := io.ReadAll(io.LimitReader(sent, at.Size+1))
	if err != nil {
		return as.shown(err)
	}
	if _, err := unpacked(p.Pinned, raw, content); err != nil {
		return err
	}
	dir := s.dir(p)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(filepath.Join(dir, contentFile), content, 0o600), os.WriteFile(filepath.Join(dir, manifestFile), raw, 0o600))
}

// keptArtefact returns the files of an artefact that is kept.
func (s *Store) keptArtefact(p wanted) (fs.FS, error) {
	raw, err := readFile(filepath.Join(s.dir(p), manifestFile))
	if err != nil {
		return nil, err
	}
	content, err := readFile(filepath.Join(s.dir(p), contentFile))
	if err != nil {
		return nil, err
	}
	return unpacked(p.Pinned, raw, content)
}

// readFile reads a file that is no larger than what is kept.
func readFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxPack+1))
}

// contentOf returns the layer of a manifest that has the chart.
func contentOf(raw []byte) (v1.Descriptor, error) {
	var m v1.Manifest
	if err := json.Unmarshal(raw, &m); err != nil {
		return v1.Descriptor{}, errors.New("its manifest cannot be read")
	}
	for _, l := range m.Layers {
		if string(l.MediaType) != chartLayer {
			continue
		}
		if l.Size <= 0 || l.Size > maxPack {
			return v1.Descriptor{}, fmt.Errorf("its chart has %d bytes, and at most %d MiB are fetched", l.Size, maxPack>>20)
		}
		return l, nil
	}
	return v1.Descriptor{}, errors.New("it is no chart of Helm")
}

// unpacked returns the files of an artefact after it was compared with its digest. Links and
// special files make it none.
func unpacked(p model.Pinned, raw, content []byte) (fs.FS, error) {
	at, err := contentOf(raw)
	if err != nil {
		return nil, err
	}
	if is, _, err := v1.SHA256(bytes.NewReader(raw)); err != nil || is.String() != p.Version {
		return nil, errors.New("its manifest is not that of the digest")
	}
	if is, _, err := v1.SHA256(bytes.NewReader(content)); err != nil || is != at.Digest {
		return nil, errors.New("its chart is not that of the manifest")
	}
	plain, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, errors.New("its chart cannot be unpacked")
	}
	var files bytes.Buffer // a zip archive is a file system
	to, from, left := zip.NewWriter(&files), tar.NewReader(io.LimitReader(plain, maxMemory+1)), int64(maxMemory)
	for n := 0; ; n++ {
		h, err := from.Next()
		switch {
		case err == io.EOF:
			if err := to.Close(); err != nil {
				return nil, err
			}
			return zip.NewReader(bytes.NewReader(files.Bytes()), int64(files.Len()))
		case err != nil:
			return nil, errors.New("its chart cannot be unpacked")
		case h.Typeflag == tar.TypeDir || h.Typeflag == tar.TypeXGlobalHeader:
			continue
		case h.Typeflag != tar.TypeReg || !fs.ValidPath(h.Name) || strings.Contains(h.Name, `\`):
			return nil, fmt.Errorf("its chart has %.80q, which is no file of a plain name", h.Name)
		case n >= maxFiles || h.Size > maxObject || h.Size > left:
			return nil, fmt.Errorf("its chart has more than %d files, a larger one than %d MiB, or more than %d MiB in all", maxFiles, maxObject>>20, maxMemory>>20)
		}
		left -= h.Size
		file, err := to.CreateHeader(&zip.FileHeader{Name: h.Name, Method: zip.Store})
		if err == nil {
			_, err = io.Copy(file, from)
		}
		if err != nil {
			return nil, errors.New("its chart cannot be unpacked")
		}
	}
}

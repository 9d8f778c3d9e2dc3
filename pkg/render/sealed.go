package render

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/component"
)

// maxSealed bounds an encrypted file, in bytes. It has the limit of its values twice, as
// they stand in it in base64.
const maxSealed = 2 * component.MaxData

// ReadSealed reads the encrypted files of a set. Dir opens the application's directory at
// a commit.
func (s *Set) ReadSealed(dir func(commit string) (fs.FS, error)) error {
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.Sealed == nil {
			continue
		}
		files, err := dir(o.Sealed.Commit)
		if err != nil {
			return err
		}
		read := *o.Sealed
		if read.Data, err = beginning(files, read.File); err != nil {
			return fmt.Errorf("read the encrypted file %s: %w", read.File, err)
		}
		o.Sealed = &read
	}
	return nil
}

// beginning reads a file as far as it matters: a byte above the limit shows that it is too
// large.
func beginning(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSealed+1))
}

// Unseal returns a Secret with the values of its encrypted file. Everything else of the
// object stays, also what identifies it: that follows from the encrypted file.
func (o Object) Unseal(values map[string][]byte) (Object, error) {
	data, size := make(map[string]any, len(values)), 0
	for key, value := range values {
		size += len(key) + len(value)
		data[key] = base64.StdEncoding.EncodeToString(value)
	}
	if size > component.MaxData {
		return o, fmt.Errorf("its values have %d bytes, a cluster takes at most %d in one object", size, component.MaxData)
	}
	if o.Sealed == nil || o.Object.GetKind() != "Secret" {
		return o, errors.New("is no Secret with an encrypted file")
	}
	u := &unstructured.Unstructured{Object: maps.Clone(o.Whole().Object)}
	u.Object["data"] = data
	encoded, err := json.Marshal(u.Object)
	if err != nil {
		return o, err
	}
	o.Object, o.JSON, o.Sealed, o.compact = u, encoded, nil, false
	return o, nil
}

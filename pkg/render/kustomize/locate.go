package kustomize

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"sort"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
)

// order has the fields of a kustomization in the order in which kustomize carries them out.
var order = []string{
	"resources", "bases", "configMapGenerator", "secretGenerator", "components",
	"patchesStrategicMerge", "patches", "namespace", "namePrefix", "nameSuffix", "labels", "commonLabels", "commonAnnotations",
	"patchesJson6902", "replicas", "images", "imageTags", "replacements", "transformers", "vars",
}

// An element is one entry of a list in a kustomization, or a field that is no list.
type element struct {
	field string
	index int // in the list, -1 without one
	value json.RawMessage
}

func (e element) String() string {
	if e.index < 0 {
		return e.field
	}
	return e.field + "." + strconv.Itoa(e.index)
}

// elements splits a rewritten kustomization into what kustomize carries out one after the
// other, and the rest.
func elements(kustomization []byte) (all []element, rest map[string]any) {
	fields := map[string]json.RawMessage{}
	rest = map[string]any{}
	if json.Unmarshal(kustomization, &fields) != nil {
		return nil, rest
	}
	for _, field := range order {
		value, there := fields[field]
		var list []json.RawMessage
		switch {
		case !there:
		case json.Unmarshal(value, &list) != nil:
			all = append(all, element{field, -1, value})
		default:
			for i := range list {
				all = append(all, element{field, i, list[i]})
			}
		}
		delete(fields, field)
	}
	for field, value := range fields {
		rest[field] = value
	}
	return all, rest
}

// joined is the kustomization of some elements and the rest.
func joined(some []element, rest map[string]any) []byte {
	fields := maps.Clone(rest)
	for _, e := range some {
		if e.index < 0 {
			fields[e.field] = e.value
			continue
		}
		list, _ := fields[e.field].([]json.RawMessage)
		fields[e.field] = append(list, e.value)
	}
	encoded, err := json.Marshal(fields)
	if err != nil {
		panic("kustomize: join what was split: " + err.Error())
	}
	return encoded
}

// Locate returns the place of the first element with which a build that fails begins to
// fail, "" if there is none. It builds with fewer and fewer elements, so it takes several times as long as
// Build. It repeats nothing that kustomize says, so it can tell where a build with secrets fails.
func (k Kustomization) Locate() (place string) {
	k.Files = maps.Clone(k.Files)
	for file := k.fileOf(k.Root); file != ""; {
		all, rest := elements(k.Files[file])
		if len(all) == 0 {
			return place
		}
		with := func(n int) { k.Files[file] = joined(all[:n], rest) }
		n := 1 + sort.Search(len(all)-1, func(i int) bool {
			with(i + 1)
			return k.Build().Failed != ""
		})
		with(n)
		last := all[n-1]
		place = k.Places[file+" "+last.String()]
		file = ""
		var ref string
		if json.Unmarshal(last.value, &ref) == nil && strings.HasPrefix(ref, "../") {
			file = k.fileOf(path.Join(k.Root, ref))
		}
	}
	return place
}

// fileOf returns the kustomization file of a directory of ours.
func (k Kustomization) fileOf(dir string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		if _, there := k.Files[dir+"/"+name]; there {
			return dir + "/" + name
		}
	}
	return ""
}

// places records where the tenant wrote each element of a rewritten kustomization.
func (w *writer) places(ours string, kustomization []byte) error {
	all, _ := elements(kustomization)
	if len(w.out.Places)+len(all) > maxElements {
		return fmt.Errorf("has entries that make more than %d together with those of its bases", maxElements)
	}
	for _, e := range all {
		written := e
		if e.field == "transformers" {
			written.index = w.written[e.index]
		}
		at := []any{e.field}
		if e.index >= 0 {
			at = append(at, written.index)
		}
		w.out.Places[ours+" "+e.String()] = w.source.place(at...) + ": " + written.String()
	}
	return nil
}

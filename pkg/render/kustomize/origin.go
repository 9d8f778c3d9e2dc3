package kustomize

import (
	"maps"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/yaml"
)

// The annotations of buildMetadata, which name files.
const (
	originKey          = "config.kubernetes.io/origin"
	transformationsKey = "alpha.config.kubernetes.io/transformations"
)

// origins writes the names of the tenant's files where buildMetadata has put ours.
func (k Kustomization) origins(r *resource.Resource) error {
	annotations := r.GetAnnotations(originKey, transformationsKey)
	if slices.Contains(k.Metadata, types.OriginAnnotations) && annotations[originKey] != "" {
		var o resource.Origin
		if err := yaml.Unmarshal([]byte(annotations[originKey]), &o); err != nil {
			return err
		}
		k.rename(&o)
		text, err := o.String()
		if err != nil {
			return err
		}
		annotations[originKey] = text
	}
	if slices.Contains(k.Metadata, types.TransformerAnnotations) && annotations[transformationsKey] != "" {
		var all resource.Transformations
		if err := yaml.Unmarshal([]byte(annotations[transformationsKey]), &all); err != nil {
			return err
		}
		for _, o := range all {
			k.rename(o)
		}
		text, err := all.String()
		if err != nil {
			return err
		}
		annotations[transformationsKey] = text
	}
	if len(annotations) == 0 {
		return nil
	}
	all := r.GetAnnotations()
	maps.Copy(all, annotations)
	return r.SetAnnotations(all)
}

// rename gives an origin the names of the tenant, relative to the directory that is built.
func (k Kustomization) rename(o *resource.Origin) {
	for _, p := range []*string{&o.Path, &o.ConfiguredIn} {
		ours := path.Join(k.Root, *p)
		for i := 0; *p != "" && i+1 < len(k.Names); i += 2 {
			if k.Names[i] == ours {
				*p = relative(k.Dir, k.Names[i+1])
				break
			}
		}
	}
}

// relative returns the way from a directory to a file.
func relative(dir, file string) string {
	up := ""
	for dir != "." && !strings.HasPrefix(file, dir+"/") {
		dir, up = path.Dir(dir), up+"../"
	}
	if dir == "." {
		return up + file
	}
	return up + strings.TrimPrefix(file, dir+"/")
}

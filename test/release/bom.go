package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// bom writes the bill of materials: each binary, and the modules that the linker put into it.
func (r *release) bom() error {
	bom := cyclonedx.NewBOM()
	whole := cyclonedx.Component{
		BOMRef: "d-aros", Type: cyclonedx.ComponentTypeApplication, Name: "d-aros", Version: r.version,
		PackageURL: packageURL(r.binaries[0].build.Main.Path, r.version),
		Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
	}
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &whole}
	modules := map[string]cyclonedx.Component{}
	var components []cyclonedx.Component
	var dependencies []cyclonedx.Dependency
	var programs []string
	for _, b := range r.binaries {
		component, uses, err := r.component(b, modules)
		if err != nil {
			return err
		}
		components = append(components, component)
		programs = append(programs, component.BOMRef)
		dependencies = append(dependencies, cyclonedx.Dependency{Ref: component.BOMRef, Dependencies: &uses})
	}
	dependencies = append(dependencies, cyclonedx.Dependency{Ref: whole.BOMRef, Dependencies: &programs})
	for _, m := range modules {
		components = append(components, m)
	}
	slices.SortFunc(components, func(a, b cyclonedx.Component) int { return cmp.Compare(a.BOMRef, b.BOMRef) })
	bom.Components, bom.Dependencies = &components, &dependencies

	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	out, err := os.Create(filepath.Join(r.out, "d-aros_"+r.version+".cdx.json"))
	if err != nil {
		return err
	}
	defer out.Close()
	if err := cyclonedx.NewBOMEncoder(out, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return out.Close()
}

// component describes a binary, and adds what it is linked from to modules.
func (r *release) component(b binary, modules map[string]cyclonedx.Component) (cyclonedx.Component, []string, error) {
	data, err := os.ReadFile(b.file)
	if err != nil {
		return cyclonedx.Component{}, nil, err
	}
	sum := sha256.Sum256(data)
	var uses []string
	use := func(path, version, hash string) error {
		m := cyclonedx.Component{Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: packageURL(path, version)}
		m.BOMRef = m.PackageURL
		if h1, ok := strings.CutPrefix(hash, "h1:"); ok { // SHA-256 of the files' hashes, as in go.sum
			raw, err := base64.StdEncoding.DecodeString(h1)
			if err != nil {
				return fmt.Errorf("hash of module %s: %w", path, err)
			}
			m.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(raw)}}
		}
		modules[m.BOMRef] = m
		uses = append(uses, m.BOMRef)
		return nil
	}
	if err := use("std", strings.TrimPrefix(b.build.GoVersion, "go"), ""); err != nil {
		return cyclonedx.Component{}, nil, err
	}
	for _, dep := range b.build.Deps {
		if dep.Replace != nil {
			return cyclonedx.Component{}, nil, fmt.Errorf("module %s is replaced: use a published version", dep.Path)
		}
		if err := use(dep.Path, dep.Version, dep.Sum); err != nil {
			return cyclonedx.Component{}, nil, err
		}
	}
	slices.Sort(uses)
	return cyclonedx.Component{
		BOMRef: b.program + " linux/" + b.arch, Type: cyclonedx.ComponentTypeApplication, Name: b.program, Version: r.version,
		Hashes: &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}, uses, nil
}

func packageURL(path, version string) string {
	return "pkg:golang/" + path + "@" + version + "?type=module"
}

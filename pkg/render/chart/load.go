package chart

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	v2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Bounds of the archives in a chart.
const (
	maxUnpacked = 32 << 20 // bytes of a chart with what its archives contain
	maxNested   = 5        // archives inside each other
)

// unpacked are the files of a chart, with the charts in its archives as directories.
type unpacked struct {
	files []*archive.BufferedFile
	size  int
}

// add takes a file, or what an archive contains.
func (u *unpacked) add(f File, depth int) error {
	if !archived(f.Name) {
		if u.size += len(f.Data); u.size > maxUnpacked || len(u.files) == maxFiles {
			return fmt.Errorf("%s is one of more than %d files or %d MiB that the chart has with its archives", f.Name, maxFiles, maxUnpacked>>20)
		}
		u.files = append(u.files, &archive.BufferedFile{Name: f.Name, Data: f.Data})
		return nil
	}
	if depth == maxNested {
		return fmt.Errorf("%s is inside more than %d archives", f.Name, maxNested)
	}
	inside, err := archive.LoadArchiveFiles(bytes.NewReader(f.Data))
	if err != nil {
		return fmt.Errorf("%s cannot be unpacked: %w", f.Name, err)
	}
	for _, more := range inside {
		if err := u.add(File{f.Name + unpackedSuffix + "/" + more.Name, more.Data}, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// unpackedSuffix follows the name of an archive in that of the directory with its files.
const unpackedSuffix = "\x00"

// archived reports whether Helm takes a file of a chart for the archive of a chart inside it.
func archived(name string) bool {
	for {
		rest, ok := strings.CutPrefix(name, "charts/")
		dir, below, deeper := strings.Cut(rest, "/")
		switch {
		case !ok || strings.HasPrefix(rest, "_") || strings.HasPrefix(rest, "."):
			return false
		case !deeper:
			return path.Ext(dir) == ".tgz"
		}
		name = below
	}
}

// load returns the chart as Helm reads it, with the values that its component declares.
func (c Chart) load() (*v2.Chart, common.Values, error) {
	var u unpacked
	for _, f := range c.Files {
		if err := u.add(f, 0); err != nil {
			return nil, nil, &fault{declared.CodeChart, "", err, false}
		}
	}
	ch, err := loader.LoadFiles(u.files)
	if err != nil {
		return nil, nil, &fault{declared.CodeChart, "", err, true}
	}
	inOrder(ch)
	if err := c.takes(ch); err != nil {
		return nil, nil, &fault{declared.CodeChart, "", err, false}
	}
	values, err := common.ReadValues(c.Values)
	if err != nil {
		return nil, nil, err
	}
	return ch, values, util.ProcessDependencies(ch, values)
}

// takes refuses a chart that cannot be a component.
func (c Chart) takes(ch *v2.Chart) error {
	switch {
	case ch.Metadata.APIVersion != v2.APIVersionV1 && ch.Metadata.APIVersion != v2.APIVersionV2:
		return fmt.Errorf("has apiVersion %.20q in its Chart.yaml; v1 and v2 are read", ch.Metadata.APIVersion)
	case ch.Metadata.Type == "library":
		return errors.New("is a library, which has no objects of its own; name a chart that depends on it")
	case len(ch.CRDObjects()) > 0 && !c.SkipCRDs:
		return fmt.Errorf("brings %s, which has no namespace: ask the platform's admins for its kind, and write skipCRDs: true", c.file(ch.Name(), ch.CRDObjects()[0].Filename))
	}
	for _, d := range ch.Metadata.Dependencies {
		if !slices.ContainsFunc(ch.Dependencies(), func(there *v2.Chart) bool { return there.Name() == d.Name }) {
			return fmt.Errorf("depends on %s, which is not in charts/; run `helm dependency build` and commit what it gets", d.Name)
		}
	}
	return nil
}

// inOrder sorts the charts inside a chart, which Helm reads in random order.
func inOrder(ch *v2.Chart) {
	inside := slices.Clone(ch.Dependencies())
	slices.SortStableFunc(inside, func(a, b *v2.Chart) int {
		return strings.Compare(a.Name()+" "+a.Metadata.Version, b.Name()+" "+b.Metadata.Version)
	})
	ch.SetDependencies(inside...)
	for _, in := range inside {
		inOrder(in)
	}
}

package chart

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/d-aros/d-aros/pkg/render/build"
)

// rendered is what a chart comes to.
type rendered struct {
	objects []json.RawMessage
	written []build.Written
}

func (r rendered) same(other rendered) bool {
	return slices.EqualFunc(r.objects, other.objects, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) })
}

// render renders the chart once. A panic in a library is a failure of this chart.
func (c Chart) render(by *chance) (r rendered, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			r, err = rendered{}, fmt.Errorf("gave up: %v", panicked)
		}
	}()
	ch, values, err := c.load()
	if err != nil {
		return rendered{}, err
	}
	known, err := c.capabilities()
	if err != nil {
		return rendered{}, err
	}
	if want := ch.Metadata.KubeVersion; want != "" && !util.IsCompatibleRange(want, known.KubeVersion.String()) {
		return rendered{}, fmt.Errorf("wants Kubernetes %s, and is told %s; another kubeVersion of the component tells it another one", want, &known.KubeVersion)
	}
	// The schemas are checked below, without what they name elsewhere.
	top, err := commonutil.ToRenderValuesWithSchemaValidation(ch, values, common.ReleaseOptions{
		Name: c.Release, Namespace: c.Namespace, Revision: 1, IsInstall: true,
	}, known, true)
	if err != nil {
		return rendered{}, err
	}
	given, err := top.Table("Values")
	if err != nil {
		return rendered{}, err
	}
	if err := fits(ch, given); err != nil {
		return rendered{}, err
	}
	texts, err := engine.Engine{CustomTemplateFuncs: by.functions()}.Render(ch, top)
	if err != nil {
		return rendered{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if path.Base(name) == "NOTES.txt" {
			continue // it is for people who install by hand
		}
		if err := c.split(&r, ch.Name(), name, texts[name]); err != nil {
			return rendered{}, err
		}
	}
	return r, nil
}

// capabilities are what the templates are told of the cluster, which nobody asks.
func (c Chart) capabilities() (*common.Capabilities, error) {
	version, err := common.ParseKubeVersion(strings.TrimPrefix(c.Kubernetes, "v"))
	if err != nil {
		return nil, fmt.Errorf("%.40q is no version of Kubernetes", c.Kubernetes)
	}
	known := common.DefaultCapabilities.Copy()
	known.KubeVersion = *version
	known.APIVersions = slices.Concat(known.APIVersions, c.APIs)
	known.HelmVersion.Version, known.HelmVersion.GoVersion = "v4.2.4", "go1.26" // on every machine
	return known, nil
}

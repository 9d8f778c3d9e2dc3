package chart

import (
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"sigs.k8s.io/yaml"
)

// helms renders a chart as Helm itself does, from the disk.
func helms(dir string) (objects []string, err error) {
	ch, err := loader.LoadDir(dir)
	if err != nil {
		return nil, err
	}
	values := common.Values{}
	if err := util.ProcessDependencies(ch, values); err != nil {
		return nil, err
	}
	top, err := commonutil.ToRenderValues(ch, values, common.ReleaseOptions{Name: "shop-web", Namespace: "acme", Revision: 1, IsInstall: true}, common.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	texts, err := engine.Render(ch, top)
	if err != nil {
		return nil, err
	}
	for name := range texts {
		if strings.HasSuffix(name, "NOTES.txt") {
			delete(texts, name)
		}
	}
	_, manifests, err := releaseutil.SortManifests(texts, nil, releaseutil.InstallOrder)
	for _, m := range manifests {
		encoded, bad := yaml.YAMLToJSON([]byte(m.Content))
		if bad != nil {
			return nil, bad
		}
		if string(encoded) != "null" {
			objects = append(objects, string(encoded))
		}
	}
	return objects, err
}

// ours renders a chart, of which Helm's default version of Kubernetes is told.
func ours(t *testing.T, dir string) (objects []string, failed string) {
	files, err := NewReader(os.DirFS(filepath.Dir(dir))).Read(filepath.Base(dir))
	if err != nil {
		return nil, err.Error()
	}
	c := Chart{Dir: filepath.Base(dir), Files: files, Release: "shop-web", Namespace: "acme", Kubernetes: common.DefaultCapabilities.KubeVersion.Version}
	b := c.Build()
	for _, o := range b.Objects {
		objects = append(objects, string(o))
	}
	return objects, b.Failed
}

// public are charts that others have published, in the cache of Go modules: Helm's own are always there.
var public = []string{
	"helm.sh/helm/v4@v4.2.4/pkg/cmd/testdata/testcharts/*", "helm.sh/helm/v4@v4.2.4/pkg/chart/v2/*/testdata/*",
	"sigs.k8s.io/kwok@*/charts/*", "sigs.k8s.io/external-dns@*/charts/*", "github.com/argoproj/argo-cd/v2@*/util/helm/testdata/*", "github.com/argoproj/argo-cd/v2@*/reposerver/repository/testdata/*",
	"sigs.k8s.io/kustomize/api@*/krusty/testdata/helmcharts/*",
}

// TestEqual: charts of others come to what Helm makes of them, object by object. What is refused is known by its reason.
func TestEqual(t *testing.T) {
	log.SetOutput(io.Discard) // Helm warns
	slog.SetDefault(slog.New(slog.DiscardHandler))
	cache, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	require.NoError(t, err)
	var charts []string
	for _, pattern := range public {
		found, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(cache)), pattern, "Chart.yaml"))
		require.NoError(t, err)
		charts = append(charts, found...)
	}
	scaffold, err := util.Create("scaffold", t.TempDir())
	require.NoError(t, err)
	charts = append(charts, filepath.Join(scaffold, "Chart.yaml"))
	require.Greater(t, len(charts), 30)
	reasons := regexp.MustCompile(`which Helm runs beside|is not in charts/|is a library|which has no namespace|comes out differently|wants Kubernetes|is no object`)
	equal, empty, refused, broken := 0, 0, map[string]int{}, 0
	for _, file := range charts {
		dir := filepath.Dir(file)
		want, bad := helms(dir)
		got, failed := ours(t, dir)
		switch {
		case failed != "" && reasons.MatchString(failed):
			refused[reasons.FindString(failed)]++
		case bad != nil:
			require.NotEmpty(t, failed, "Helm refuses %s: %v", dir, bad)
			broken++
		default:
			require.Empty(t, failed, "Helm renders %s", dir)
			require.Equal(t, sorted(want), sorted(got), dir)
			if len(got) == 0 {
				empty++
			}
			equal++
		}
	}
	t.Logf("of %d charts %d are equal (%d of them without objects), %d are refused by Helm, too, and others because of %v", len(charts), equal, empty, broken, refused)
	require.Greater(t, equal, 20)
}

func sorted(objects []string) []string {
	all := make([]string, len(objects))
	for i, o := range objects {
		var v any
		_ = json.Unmarshal([]byte(o), &v)
		encoded, _ := json.Marshal(v)
		all[i] = string(encoded)
	}
	slices.Sort(all)
	return all
}

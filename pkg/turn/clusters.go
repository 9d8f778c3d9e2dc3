package turn

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// CheckClusters refuses the platform of a fleet that names clusters which are not among those
// given, so that the last good one stays: it returns the fleet without what depends on it. Where
// they are is no matter of the fleet repo, so only a running reconciler can tell.
func CheckClusters(fleet model.Fleet, clusters []string) model.Fleet {
	problems := missing(fleet.Platform, clusters)
	if problems == nil {
		return fleet
	}
	refused := func(app model.AppID) model.Unusable {
		return model.Unusable{App: app, Code: problems[0].Code, Message: problems[0].Message}
	}
	fleet.Platform, fleet.Problems = nil, append(problems, fleet.Problems...)
	fleet.UnusableTenants, fleet.Unusable = slices.Concat(fleet.UnusableTenants, model.Names(fleet.Tenants)), slices.Clone(fleet.Unusable)
	for _, app := range fleet.Applications {
		fleet.Unusable = append(fleet.Unusable, refused(app.ID))
	}
	fleet.Tenants, fleet.Applications = nil, nil
	slices.Sort(fleet.UnusableTenants)
	slices.SortFunc(fleet.Unusable, func(x, y model.Unusable) int { return x.App.Compare(y.App) })
	return fleet
}

// Connected returns an error if a platform has a pool of a cluster that is not among those given:
// nothing can be decided on it, because nobody knows what the cluster has.
func Connected(platform *model.Platform, clusters []string) error {
	if problems := missing(platform, clusters); problems != nil {
		return fmt.Errorf("%s: %s", problems[0].Path, problems[0].Message)
	}
	return nil
}

// missing returns a problem for each pool of another cluster.
func missing(platform *model.Platform, clusters []string) (problems []model.Problem) {
	if platform == nil {
		return nil
	}
	for i := range platform.Pools {
		p := &platform.Pools[i]
		if p.Cluster == "" || slices.Contains(clusters, p.Cluster) {
			continue
		}
		field := "pools." + p.Name + ".cluster"
		problem := model.Problem{
			Code: model.CodeNoSuchCluster, Path: "platform." + field,
			Message: fmt.Sprintf("is in cluster %s, which the reconciler was not told of (%s); start it with --cluster %s=KUBECONFIG, or name another cluster", p.Cluster, told(clusters), p.Cluster),
		}
		if at := platform.At[field]; at != "" {
			problem.Places = []model.Place{{At: at, Note: "platform." + field + ": " + p.Cluster}}
		}
		problems = append(problems, problem)
	}
	return problems
}

// told lists the names of clusters for people.
func told(clusters []string) string {
	if len(clusters) == 0 {
		return "it has one cluster"
	}
	return "it has the first one and " + strings.Join(clusters, ", ")
}

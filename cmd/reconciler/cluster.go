package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/homedir"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/text"
)

// clusterFlags name the clusters that a command talks to.
type clusterFlags struct {
	kubeconfig, context string   // of the first
	others              []string // NAME=FILE#CONTEXT
	name                string   // of a further one, "" of the first
}

// namedCluster is a cluster that pools name, and how to connect to it.
type namedCluster struct {
	name string
	*rest.Config
}

// errNoCluster is that nobody names a cluster.
var errNoCluster = errors.New("no cluster is named: give --kubeconfig FILE, $KUBECONFIG, or --context NAME of your own kubeconfig; \"make demo\" brings one to try")

// add adds the flags. Their usage begins with when.
func (f *clusterFlags) add(fl *pflag.FlagSet, when string) {
	fl.StringVar(&f.kubeconfig, "kubeconfig", "", when+"kubeconfig file of the cluster (default: the files of $KUBECONFIG)")
	fl.StringVar(&f.context, "context", "", when+"context of the kubeconfig (default: its current one); without --kubeconfig and $KUBECONFIG, of your own")
}

// addFurther adds the flag for clusters beside the first.
func (f *clusterFlags) addFurther(fl *pflag.FlagSet) {
	fl.StringArrayVar(&f.others, "cluster", nil, "a further cluster, as `NAME=FILE#CONTEXT`: the name that platform.pools.<pool>.cluster gives it, its kubeconfig (default: that of the first cluster) and the context of that (default: its current one); may be repeated")
}

// all returns how to connect to the clusters, of which the first has no name.
func (f *clusterFlags) all() ([]namedCluster, error) {
	cfg, err := f.config()
	if err != nil {
		return nil, err
	}
	further, err := f.named()
	return append([]namedCluster{{Config: cfg}}, further...), err
}

// named returns how to connect to the further clusters, in the order in which they are given.
func (f *clusterFlags) named() (list []namedCluster, err error) {
	for _, said := range f.others {
		name, where, ok := strings.Cut(said, "=")
		file, context, _ := strings.Cut(where, "#")
		switch {
		case !ok || where == "" || !model.ValidName(name):
			return nil, fmt.Errorf("--cluster %q: write NAME=FILE, NAME=FILE#CONTEXT or NAME=#CONTEXT, with a name such as west-2", text.Clean(said))
		case slices.ContainsFunc(list, func(c namedCluster) bool { return c.name == name }):
			return nil, fmt.Errorf("--cluster names %s twice", name)
		}
		of := clusterFlags{kubeconfig: cmp.Or(file, f.kubeconfig), context: context, name: name}
		cfg, err := of.config()
		if err != nil {
			return nil, err
		}
		list = append(list, namedCluster{name, cfg})
	}
	return list, nil
}

// config returns how to connect to the cluster: that of --kubeconfig, else of $KUBECONFIG, else the one that the program
// runs in. The user's own kubeconfig counts only if --context names a context: a fleet must not come to a cluster because
// kubectl spoke with that one last.
func (f *clusterFlags) config() (*rest.Config, error) {
	files := slices.DeleteFunc(filepath.SplitList(os.Getenv("KUBECONFIG")), func(name string) bool { return name == "" })
	from, flag := "the kubeconfig of $KUBECONFIG", "--context"
	if f.name != "" {
		flag = "--cluster " + f.name + "=FILE#CONTEXT"
	}
	switch {
	case f.kubeconfig != "" && f.name != "":
		files, from = []string{f.kubeconfig}, "the kubeconfig of cluster "+f.name
	case f.kubeconfig != "":
		files, from = []string{f.kubeconfig}, "the kubeconfig of --kubeconfig"
	case len(files) > 0:
	case f.context != "":
		files, from = []string{filepath.Join(homedir.HomeDir(), clientcmd.RecommendedHomeDir, clientcmd.RecommendedFileName)}, "your own kubeconfig"
	default:
		cfg, err := rest.InClusterConfig()
		if errors.Is(err, rest.ErrNotInCluster) {
			err = errNoCluster
		}
		return cfg, err
	}
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			return nil, fmt.Errorf("read %s: %w; name files that exist", from, err)
		}
	}
	loaded, err := (&clientcmd.ClientConfigLoadingRules{Precedence: files}).Load()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	name := cmp.Or(f.context, loaded.CurrentContext)
	if loaded.Contexts[name] == nil {
		has := text.Enumerate(slices.Sorted(maps.Keys(loaded.Contexts)), 20)
		if name == "" {
			return nil, fmt.Errorf("%s has no current context: name one with %s; it has %s", from, flag, cmp.Or(has, "none"))
		}
		return nil, fmt.Errorf("%s has no context %s: name another one with %s; it has %s", from, text.Clean(name), flag, cmp.Or(has, "none"))
	}
	cfg, err := clientcmd.NewNonInteractiveClientConfig(*loaded, name, nil, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", from, err)
	}
	return cfg, nil
}

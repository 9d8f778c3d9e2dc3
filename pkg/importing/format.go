package importing

import (
	"errors"
	"maps"
	"slices"
	"strings"
)

// A Format is a form of files that can be read.
type Format string

// Formats.
const (
	Compose    Format = "compose"
	KubeVela   Format = "kubevela"
	KubeMin    Format = "kubemin"
	Score      Format = "score"
	Kubernetes Format = "kubernetes"
)

// readers are the readers of the formats.
var readers = map[Format]func(*translation, []*node) error{
	Compose: compose.read, KubeVela: kubevela.read, KubeMin: kubemin.read, Score: score.read, Kubernetes: manifest.read,
}

// Formats returns the names of the formats, in order.
func Formats() []Format { return slices.Sorted(maps.Keys(readers)) }

// detect tells the format of a file by what it holds.
func detect(docs []*node) (Format, error) {
	seen := map[Format]bool{}
	for _, d := range docs {
		version := d.at("apiVersion").string()
		switch {
		case strings.HasPrefix(version, "score.dev/"):
			seen[Score] = true
		case isApplication(d):
			seen[KubeVela] = true
		case version != "" && d.at("kind").string() != "":
			seen[Kubernetes] = true
		case d.at("component").items() != nil || d.at("components").items() != nil:
			seen[KubeMin] = true
		case d.at("services").fields() != nil:
			seen[Compose] = true
		}
	}
	for _, f := range []Format{KubeVela, Score, KubeMin, Compose, Kubernetes} {
		if seen[f] {
			return f, nil
		}
	}
	return "", errors.New("is in no format that can be imported: there are neither services of Docker Compose, components of KubeMin, " +
		"an Application of KubeVela, a workload of Score, nor objects of Kubernetes")
}

// isApplication reports whether a document is an Application of KubeVela.
func isApplication(d *node) bool {
	return strings.HasPrefix(d.at("apiVersion").string(), "core.oam.dev/") && d.at("kind").string() == "Application"
}

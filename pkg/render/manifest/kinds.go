package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Shape has the paths of the pods in a kind of workload.
type Shape struct {
	Pod      []string // path of the pod's template: metadata and spec
	Replicas []string // path of their number, nil: one
}

// Workloads are the kinds of Kubernetes that run pods.
var Workloads = map[string]Shape{
	"Pod":                   {},
	"ReplicationController": {Pod: []string{"spec", "template"}, Replicas: []string{"spec", "replicas"}},
	"Deployment.apps":       {Pod: []string{"spec", "template"}, Replicas: []string{"spec", "replicas"}},
	"ReplicaSet.apps":       {Pod: []string{"spec", "template"}, Replicas: []string{"spec", "replicas"}},
	"StatefulSet.apps":      {Pod: []string{"spec", "template"}, Replicas: []string{"spec", "replicas"}},
	"DaemonSet.apps":        {Pod: []string{"spec", "template"}},
	"Job.batch":             {Pod: []string{"spec", "template"}, Replicas: []string{"spec", "parallelism"}},
	"CronJob.batch": {
		Pod:      []string{"spec", "jobTemplate", "spec", "template"},
		Replicas: []string{"spec", "jobTemplate", "spec", "parallelism"},
	},
}

// Autoscaler changes the replicas of a workload.
const Autoscaler = "HorizontalPodAutoscaler.autoscaling"

// bare are the groups whose kinds a policy names without the group.
var bare = []string{"", "apps", "batch", "networking.k8s.io", "autoscaling", "policy"}

// never are groups and kinds that no policy can allow to a tenant: objects without a
// namespace, objects that give rights, and objects that limit the tenant.
var never = map[string]string{
	"rbac.authorization.k8s.io":      "rights are given by the fleet's access rules",
	"admissionregistration.k8s.io":   "it would change what others apply",
	"apiregistration.k8s.io":         "it would change the API of the cluster",
	"apiextensions.k8s.io":           "it would change the API of the cluster",
	"scheduling.k8s.io":              "priorities are given by arbitration",
	"certificates.k8s.io":            "it gives identities",
	"authentication.k8s.io":          "it gives identities",
	"authorization.k8s.io":           "it is about rights",
	"storage.k8s.io":                 "it is not in a namespace",
	"node.k8s.io":                    "it is not in a namespace",
	"flowcontrol.apiserver.k8s.io":   "it is not in a namespace",
	"kubevirt.io":                    "machines are components of type vm",
	"pool.kubevirt.io":               "machines are components of type vm",
	"Namespace":                      "namespaces follow from tenants",
	"ResourceQuota":                  "quotas follow from tenants",
	"LimitRange":                     "limits follow from tenants",
	"Node":                           "it is not in a namespace",
	"PersistentVolume":               "it is not in a namespace",
	"Binding":                        "pods are placed by the scheduler",
	"Event":                          "it would be taken for an observation",
	"Lease.coordination.k8s.io":      "leases say who leads",
	"EndpointSlice.discovery.k8s.io": "it would lead traffic to addresses of others",
	"Endpoints":                      "it would lead traffic to addresses of others",
	"List":                           "it is no object of its own",
}

// admitKind refuses an object whose kind the policy does not allow. A policy names the
// kinds of other groups with the group: Certificate.cert-manager.io.
func admitKind(path string, u *unstructured.Unstructured, allowed []string) error {
	gk := u.GroupVersionKind().GroupKind()
	for _, word := range []string{gk.Group, gk.String()} {
		if why, refused := never[word]; refused && word != "" {
			return declared.Faultf(declared.CodeKind, path, "is a %s, which no tenant brings: %s", gk, why)
		}
	}
	if slices.Contains(allowed, gk.String()) || slices.Contains(bare, gk.Group) && slices.Contains(allowed, gk.Kind) {
		return nil
	}
	return declared.Against("policy.kinds", declared.CodeKind, path, "is a %s; policy allows %s (kinds)", gk, declared.List(allowed))
}

// Identity names an object in messages and orders objects.
func Identity(u *unstructured.Unstructured) string {
	return u.GroupVersionKind().GroupKind().String() + " " + u.GetName()
}

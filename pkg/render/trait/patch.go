package trait

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Patch is what a trait gives to what carries a component.
type Patch struct {
	Main    Main               // for the component's own container
	Before  []corev1.Container // that run to their end before it starts, in order
	Beside  []corev1.Container // that run beside it
	Pod     Pod
	Volumes []corev1.Volume
	Claims  []corev1.PersistentVolumeClaim // of which each replica of a store has its own
	Objects []runtime.Object               // beside the pods
	Last    []ObjectPatch                  // of objects, once all are rendered

	Entries    []declared.Port // that clients outside the cluster reach
	References []string        // config and secret components whose change reaches the pods
	Replicas   Replicas
	Service    Service
}

// Replicas is how many pods run, and how new ones replace old ones.
type Replicas struct {
	Exclusive bool  `is:"the right to be the only pod"`
	Scaled    bool  `is:"the number of replicas"` // something sets it in the cluster
	Recreate  bool  `is:"how pods are replaced"`  // all end first
	Missing   int32 `is:"how many pods may be missing"`
	MinReady  int32 `is:"how long pods are ready first"` // seconds
}

// Service is how others reach the component.
type Service struct {
	Name string             `is:"the name of a service"` // a further one
	Type corev1.ServiceType `is:"the type of the service"`
}

// Main is a patch for the component's own container. The tags are what messages call the fields that one trait has.
type Main struct {
	Env       []corev1.EnvVar
	EnvFrom   []corev1.EnvFromSource
	Mounts    []corev1.VolumeMount
	Liveness  *corev1.Probe                `is:"the liveness probe"`
	Readiness *corev1.Probe                `is:"the readiness probe"`
	Startup   *corev1.Probe                `is:"the startup probe"`
	Lifecycle *corev1.Lifecycle            `is:"the hooks"`
	Resources *corev1.ResourceRequirements `is:"the resources of the container"`
	Security  *corev1.SecurityContext      `is:"the rights of the container"` // beyond those that every container has
}

// Pod is a patch for the pod itself.
type Pod struct {
	Security    *corev1.PodSecurityContext `is:"the rights of the pod"` // beyond those that every pod has
	Affinity    *corev1.Affinity           `is:"the affinity"`
	Tolerations []corev1.Toleration
	Hosts       []corev1.HostAlias
	Pull        corev1.PullPolicy `is:"when images are pulled"` // of all containers
	Fields      map[string]any    `is:"the patch of the pod"`   // merged last
	Rights      []Right           // on the API server
}

package manifest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// fields are the fields that an object of a tenant may have, with what is allowed below
// each; nil allows everything there. A field of a later Kubernetes is refused until it is listed.
type fields map[string]fields

// anything lists fields below which everything is allowed.
func anything(names ...string) fields {
	f := fields{}
	for _, name := range names {
		f[name] = nil
	}
	return f
}

// with returns the union of two lists of fields.
func (f fields) with(more fields) fields {
	all := maps.Clone(f)
	maps.Copy(all, more)
	return all
}

// beyond returns the path of the first field, in order, that is not listed, "" if all are.
// A field without a value is none.
func (f fields) beyond(path string, v any) string {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] == nil {
				continue
			}
			below, listed := f[name]
			if !listed {
				return path + "." + name
			}
			if below == nil {
				continue
			}
			if found := below.beyond(path+"."+name, v[name]); found != "" {
				return found
			}
		}
	case []any:
		for i := range v {
			if found := f.beyond(fmt.Sprintf("%s.%d", path, i), v[i]); found != "" {
				return found
			}
		}
	}
	return ""
}

// What a probe or a hook calls is the pod itself: it has no host.
var (
	handlers = fields{
		"httpGet": anything("path", "port", "scheme", "httpHeaders"), "tcpSocket": anything("port"),
	}.with(anything("exec", "grpc", "sleep"))

	probeFields = handlers.with(anything("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold",
		"failureThreshold", "terminationGracePeriodSeconds"))

	containerFields = anything("name", "image", "imagePullPolicy", "command", "args", "workingDir", "ports", "env", "envFrom",
		"resources", "resizePolicy", "restartPolicy", "volumeMounts", "volumeDevices", "securityContext",
		"terminationMessagePath", "terminationMessagePolicy", "stdin", "stdinOnce", "tty").with(fields{
		"livenessProbe": probeFields, "readinessProbe": probeFields, "startupProbe": probeFields,
		"lifecycle": {"postStart": handlers, "preStop": handlers, "stopSignal": nil},
	})

	// Pods of other namespaces are none of its business.
	neighbours = anything("labelSelector", "topologyKey", "matchLabelKeys", "mismatchLabelKeys")
	affinity   = fields{
		"requiredDuringSchedulingIgnoredDuringExecution":  neighbours,
		"preferredDuringSchedulingIgnoredDuringExecution": {"weight": nil, "podAffinityTerm": neighbours},
	}

	nested        = anything("name", "labels", "annotations", "creationTimestamp") // metadata below a spec
	claimTemplate = fields{
		"apiVersion": nil, "kind": nil, "status": nil, "metadata": nested,
		"spec": anything("accessModes", "resources", "storageClassName", "volumeMode", "dataSource", "volumeAttributesClassName"),
	}

	volumeFields = anything("name", "emptyDir", "configMap", "secret", "downwardAPI", "persistentVolumeClaim", "projected").
			with(fields{"ephemeral": {"volumeClaimTemplate": claimTemplate}})

	podFields = anything("nodeSelector", "restartPolicy", "terminationGracePeriodSeconds", "activeDeadlineSeconds",
		"dnsPolicy", "dnsConfig", "hostname", "subdomain", "setHostnameAsFQDN", "hostAliases", "hostUsers", "enableServiceLinks",
		"imagePullSecrets", "automountServiceAccountToken", "serviceAccount", "serviceAccountName", "securityContext", "resources",
		"shareProcessNamespace", "tolerations", "topologySpreadConstraints", "os", "schedulerName",
		"runtimeClassName", "hostNetwork", "hostPID", "hostIPC").with(fields{
		"containers": containerFields, "initContainers": containerFields, "volumes": volumeFields,
		"affinity": {"nodeAffinity": nil, "podAffinity": affinity, "podAntiAffinity": affinity},
	})
)

// admitFields refuses fields of pods that are not listed, containers without requests, and
// a longer end than policy allows. Paths begin at field.
func (a Admission) admitFields(path, field string, raw map[string]any, spec *corev1.PodSpec) error {
	if found := podFields.beyond(field, raw); found != "" {
		return declared.Faultf(declared.CodeField, path, "sets %s, which pods of a tenant may not have", found)
	}
	whole := cmp.Or(spec.Resources, &corev1.ResourceRequirements{})
	for i := range spec.Containers { // an initial container without requests adds nothing to them
		for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if !asksFor(r, spec.Containers[i].Resources) && !asksFor(r, *whole) {
				return declared.Faultf(declared.CodeField, path, "lacks %s.containers.%d.resources.requests.%s: arbitration counts what is requested", field, i, r)
			}
		}
	}
	if most := a.Policy.MaxGrace; spec.TerminationGracePeriodSeconds != nil && most > 0 &&
		*spec.TerminationGracePeriodSeconds > int64(most/time.Second) {
		return declared.Against("policy.limits.grace", declared.CodeField, path, "has %s.terminationGracePeriodSeconds of %d, policy allows %s (limits.grace)", field, *spec.TerminationGracePeriodSeconds, most)
	}
	return nil
}

// asksFor reports whether requests, or limits that stand for them, are more than nothing.
func asksFor(name corev1.ResourceName, r corev1.ResourceRequirements) bool {
	q, said := r.Requests[name]
	if !said {
		q = r.Limits[name]
	}
	return q.Sign() > 0
}

// admitNested checks the metadata of what a workload makes: pods, jobs and claims.
func admitNested(path, field string, v any) error {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			at := field + "." + name
			meta, ok := v[name].(map[string]any)
			if name != "metadata" || !ok {
				if err := admitNested(path, at, v[name]); err != nil {
					return err
				}
				continue
			}
			if err := stringMaps(path, meta); err != nil {
				return err
			}
			if found := nested.beyond(at, meta); found != "" {
				return declared.Faultf(declared.CodeField, path, "sets %s, which is not for declared objects", found)
			}
			if err := declared.RefuseReserved(path, texts(meta["labels"]), texts(meta["annotations"])); err != nil {
				return err
			}
		}
	case []any:
		for i := range v {
			if err := admitNested(path, fmt.Sprintf("%s.%d", field, i), v[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// texts returns a map that stringMaps has checked.
func texts(v any) map[string]string {
	all := map[string]string{}
	m, _ := v.(map[string]any)
	for k, text := range m {
		all[k], _ = text.(string)
	}
	return all
}

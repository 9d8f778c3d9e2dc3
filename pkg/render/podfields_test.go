package render

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modest = `resources: {requests: {cpu: 10m, memory: 16Mi}}`

// TestFieldsOfPods: what the list of pod fields lacks is refused with its path, in raw and
// kustomize components, and in every kind that runs pods.
func TestFieldsOfPods(t *testing.T) {
	const container = `containers: [{name: a, image: ghcr.io/acme/a, ` + modest + `}]`
	with := func(more string) string {
		return `containers: [{name: a, image: ghcr.io/acme/a, ` + modest + `, ` + more + `}]`
	}
	for field, template := range map[string]string{
		"metadata.finalizers": `{metadata: {labels: {a: b}, finalizers: [example.com/hold]}, spec: {` + container + `}}`,
		"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.0.namespaceSelector": `{metadata: {labels: {a: b}}, spec: {
			affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: kubernetes.io/hostname, labelSelector: {}, namespaceSelector: {}}]}}, ` + container + `}}`,
		"spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution.0.podAffinityTerm.namespaces": `{metadata: {labels: {a: b}}, spec: {
			affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, podAffinityTerm: {topologyKey: zone, namespaces: [globex]}}]}}, ` + container + `}}`,
		"spec.containers.0.livenessProbe.httpGet.host":     `{metadata: {labels: {a: b}}, spec: {` + with(`livenessProbe: {httpGet: {port: 80, host: 169.254.169.254}}`) + `}}`,
		"spec.containers.0.readinessProbe.tcpSocket.host":  `{metadata: {labels: {a: b}}, spec: {` + with(`readinessProbe: {tcpSocket: {port: 80, host: 10.96.0.1}}`) + `}}`,
		"spec.containers.0.lifecycle.preStop.httpGet.host": `{metadata: {labels: {a: b}}, spec: {` + with(`lifecycle: {preStop: {httpGet: {port: 80, host: 169.254.169.254}}}`) + `}}`,
		"spec.initContainers.0.startupProbe.httpGet.host":  `{metadata: {labels: {a: b}}, spec: {` + container + `, initContainers: [{name: i, image: ghcr.io/acme/a, ` + modest + `, startupProbe: {httpGet: {port: 80, host: x}}}]}}`,
		"spec.schedulingGates":                             `{metadata: {labels: {a: b}}, spec: {schedulingGates: [{name: example.com/hold}], ` + container + `}}`,
		"spec.readinessGates":                              `{metadata: {labels: {a: b}}, spec: {readinessGates: [{conditionType: x}], ` + container + `}}`,
		"spec.containers.0.resources.requests.cpu":         `{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a}]}}`,
		"spec.containers.0.resources.requests.memory":      `{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, resources: {requests: {cpu: 10m}}}]}}`,
		"spec.containers.1.resources.requests.cpu":         `{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, ` + modest + `}, {name: b, image: ghcr.io/acme/a, resources: {requests: {cpu: "0", memory: 1Mi}}}]}}`,
		"spec.terminationGracePeriodSeconds":               `{metadata: {labels: {a: b}}, spec: {terminationGracePeriodSeconds: 86400, ` + container + `}}`,
		"spec.volumes.0.ephemeral.volumeClaimTemplate.metadata.finalizers": `{metadata: {labels: {a: b}}, spec: {` + container + `, volumes: [{name: v, ephemeral: {volumeClaimTemplate: {
			metadata: {finalizers: [example.com/hold]}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]}}`,
	} {
		t.Run(field, func(t *testing.T) {
			_, err := rawObject(t, podWith(template))
			require.ErrorContains(t, err, "DA1716")
			require.ErrorContains(t, err, "spec.template."+field)
			_, err = kustomization(t, mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml", podWith(template)))
			require.ErrorContains(t, err, "spec.template."+field)
			if strings.HasPrefix(field, "spec.") {
				_, err = rawObject(t, `{apiVersion: v1, kind: Pod, `+strings.Replace(strings.TrimPrefix(template, "{"), "metadata: {", "metadata: {name: a, ", 1))
				require.ErrorContains(t, err, "DA1716")
			}
		})
	}
	_, err := rawObject(t, podWith(`{metadata: {creationTimestamp: null, labels: {a: b}, annotations: {a: b}}, spec: {terminationGracePeriodSeconds: 30, `+
		with(`ports: [{containerPort: 80, protocol: TCP}], env: [{name: A, value: b}], livenessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 5}, lifecycle: {preStop: {exec: {command: [sleep]}}},
		securityContext: {runAsNonRoot: true, allowPrivilegeEscalation: false}, volumeMounts: [{name: v, mountPath: /v}], imagePullPolicy: Always`)+
		`, volumes: [{name: v, emptyDir: {}}], affinity: {nodeAffinity: {}, podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: {matchLabels: {a: b}}}]}},
		topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: {matchLabels: {a: b}}}], securityContext: {fsGroup: 1}}}`))
	require.NoError(t, err)
}

// TestFieldsOfObjects: fields beside those of pods that reach beyond the tenant.
func TestFieldsOfObjects(t *testing.T) {
	const kinds = `
kinds: [ConfigMap, Deployment, Service, ServiceAccount, StatefulSet, Ingress, CronJob, Job, HorizontalPodAutoscaler, HTTPRoute.gateway.networking.k8s.io]
registries: [ghcr.io/acme]
maxreplicas: 20
components: [{name: r, type: raw, replicas: 20, requests: {cpu: 1, memory: 1Gi}, properties: {objects: [`
	const pod = `template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, ` + modest + `}]}}`
	for name, c := range map[string]struct{ object, code, says string }{
		"external name":   {`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {type: ExternalName, externalName: metadata.google.internal}}`, "DA1716", "spec.type"},
		"its account":     {`{apiVersion: v1, kind: ServiceAccount, metadata: {name: default, annotations: {eks.amazonaws.com/role-arn: admin}}}`, "DA1707", "default"},
		"inventory":       {`{apiVersion: v1, kind: ConfigMap, metadata: {name: d-aros.inventory.shop}}`, "DA1707", "d-aros.inventory.shop"},
		"root ca":         {`{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt}}`, "DA1707", "kube-root-ca.crt"},
		"end of the line": {`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {rules: [{host: a.example.com, http: {paths: [{path: "/a;\n}"}]}}]}}`, "DA1716", "spec.rules.0.http.paths.0.path"},
		"block of nginx":  {`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {rules: [{host: a.example.com, http: {paths: [{path: "/a{"}]}}]}}`, "DA1716", "RFC 3986"},
		"path of a route": {`{apiVersion: gateway.networking.k8s.io/v1, kind: HTTPRoute, metadata: {name: a}, spec: {rules: [{matches: [{path: {value: "/a\n"}}]}]}}`, "DA1716", "spec.rules.0.matches.0.path.value"},
		"inventory label": {`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {cli-utils.sigs.k8s.io/inventory-id: x}}}`, "DA1707", "cli-utils.sigs.k8s.io/inventory-id"},
		"replicas": {`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: 300, selector: {matchLabels: {a: b}}, ` + pod + `}}`,
			"DA1716", "spec.replicas of 300, policy allows 20 (limits.maxReplicas)"},
		"scaled replicas": {`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, ` + pod + `}},
			{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 300, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}`,
			"DA1716", "spec.maxReplicas of 300, policy allows 20 (limits.maxReplicas)"},
		"label of a claim": {`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, ` + pod + `,
			volumeClaimTemplates: [{metadata: {name: data, labels: {d-aros.dev/application: other}}, spec: {accessModes: [ReadWriteOnce]}}]}}`, "DA1707", "d-aros.dev/application"},
		"finalizer of a claim": {`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, ` + pod + `,
			volumeClaimTemplates: [{metadata: {name: data, finalizers: [a/b]}, spec: {accessModes: [ReadWriteOnce]}}]}}`, "DA1716", "spec.volumeClaimTemplates.0.metadata.finalizers"},
		"volume of a claim": {`{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, ` + pod + `,
			volumeClaimTemplates: [{metadata: {name: data}, spec: {volumeName: theirs}}]}}`, "DA1716", "spec.volumeClaimTemplates.0.spec.volumeName"},
		"finalizer of jobs": {`{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "* * * * *", jobTemplate: {metadata: {finalizers: [a/b]}, spec: {` + pod + `}}}}`,
			"DA1716", "spec.jobTemplate.metadata.finalizers"},
		"label of jobs": {`{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {schedule: "* * * * *", jobTemplate: {metadata: {labels: {d-aros.dev/tenant: x}}, spec: {` + pod + `}}}}`,
			"DA1707", "d-aros.dev/tenant"},
	} {
		t.Run(name, func(t *testing.T) {
			s := readScenario(t, []byte(kinds+c.object+`]}}]`))
			_, err := Application(s.input(t, nil))
			require.ErrorContains(t, err, c.code)
			require.ErrorContains(t, err, c.says)
		})
	}
}

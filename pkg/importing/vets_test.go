package importing_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/test/inprocess"
)

// TestAnyTextIsValid: whatever stands where a file names nodes, pods, receivers, parts of requests or runtimes, what comes out passes the checks
// of the fleet, because what does not fit is lost.
func TestAnyTextIsValid(t *testing.T) {
	files := fstest.MapFS{"fleet.cue": {Data: []byte(fleet)}, "tenants/acme/tenant.cue": {Data: []byte("package fleet\n\ntenant: name: \"acme\"\n")}}
	said := map[string]string{}
	for i, text := range []string{
		"", "a", "*", "A_b", "0", "-1", "101", "999999999999999999999", "true", "a b\n", `"\(x)`, "$(URL)", "--data", "@/etc/passwd", "https://example.com", "file:///x",
		"host.example.com", "NT AUTHORITY\\SYSTEM", "kubernetes.io/hostname", "1Mi", "30s", "\u2028", "web", "web-v2", "GET", "Recreate", "50%",
	} {
		for format, file := range map[importing.Format]any{importing.KubeVela: hostileApplication(text), importing.Kubernetes: hostileObjects(text), importing.Compose: hostileProject(text)} {
			data, err := json.Marshal(file)
			require.NoError(t, err)
			name := fmt.Sprintf("%s-%d", format, i)
			result, err := importing.Import(data, importing.Options{Format: format, Name: name, Host: "import.example.com", Labels: map[string]string{"team": "import"}})
			require.NoError(t, err, "%q", text)
			files["tenants/acme/apps/"+name+"/app.cue"] = &fstest.MapFile{Data: result.CUE}
			said[name] = text
		}
	}
	result := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", tree{files}, nil)
	for _, p := range result.Problems {
		t.Errorf("%q in %s: %s %s: %s", said[p.App], p.App, p.Code, p.Path, p.Message)
	}
	require.Len(t, result.Applications, len(said))
	for _, app := range result.Applications {
		_, err := objectsOf(&result, app)
		require.NoError(t, err, "%q\n%s", said[app.ID.Name], files["tenants/acme/apps/"+app.ID.Name+"/app.cue"].Data)
	}
}

type fields = map[string]any

func hostileApplication(x string) any {
	step := func(name, kind string, more, properties fields) fields {
		s := fields{"name": name, "type": kind, "properties": properties}
		for k, v := range more {
			s[k] = v
		}
		return s
	}
	term := fields{"topologyKey": "kubernetes.io/hostname", "labelSelector": fields{"matchLabels": fields{"app.oam.dev/component": x}}}
	return fields{
		"apiVersion": "core.oam.dev/v1beta1", "kind": "Application", "metadata": fields{"name": "x"},
		"spec": fields{
			"components": []any{
				fields{"name": "web", "type": "webservice", "properties": fields{"image": "nginx", "port": 8080, "exposeType": x}, "traits": []any{
					fields{"type": "canary-traffic", "properties": fields{"port": []any{x}}},
					fields{"type": "rollout", "properties": fields{"targetSize": 2, "rolloutBatches": []any{fields{"replicas": x}}}},
					fields{"type": "istio-gateway", "properties": fields{"hosts": []any{x, "*"}, "gateway": x, "port": 8080, "match": []any{fields{"prefix": x}}}},
					fields{"type": "affinity", "properties": fields{"podAffinity": fields{"required": []any{term}, "preferred": []any{fields{"weight": x, "podAffinityTerm": term}}}}},
					fields{"type": "k8s-update-strategy", "properties": fields{"strategy": fields{"type": x, "rollingStrategy": fields{"maxSurge": x, "maxUnavailable": x}}}},
					fields{"type": "startup-probe", "properties": fields{"containerName": x, "tcpSocket": fields{"port": x}}},
					fields{"type": "container-ports", "properties": fields{"containers": []any{fields{"containerName": x, "ports": []any{fields{"containerPort": x}}}}}},
					fields{"type": "service-account", "properties": fields{"privileges": []any{fields{"scope": "cluster", "apiGroups": []any{""}, "resources": []any{"nodes"}, "verbs": []any{"get"}, "resourceNames": []any{x}}}}},
				}},
				fields{"name": "cloud", "type": "alibaba-vpc", "properties": fields{"vpc_cidr": x, "region": x}, "outputs": []any{fields{"name": x, "valueFrom": "properties.vpc_cidr"}}},
				fields{"name": "more", "type": "alibaba-vswitch", "properties": fields{}, "inputs": []any{fields{"from": x, "parameterKey": "properties." + x}}},
			},
			"workflow": fields{"steps": []any{
				step("a", "notification", nil, fields{
					"slack": fields{"url": fields{"value": x}, "message": fields{"text": x}}, "lark": fields{"url": fields{"secretRef": fields{"name": x, "key": x}}, "message": fields{"content": x}},
					"email": fields{"from": fields{"address": x, "alias": x, "password": fields{"value": x}, "host": x, "port": x}, "to": []any{x}, "content": fields{"subject": x, "body": x}},
				}),
				step(x, "webhook", fields{"outputs": []any{fields{"name": x, "valueFrom": "response.body"}}, "timeout": x}, fields{"url": fields{"value": x}, "data": fields{"a": x}}),
				step("c", "request", fields{"if": x}, fields{"url": x, "method": x, "header": fields{"X-A": x, "Authorization": x}, "body": fields{"a": x}}),
				step("d", "request", nil, fields{"url": "https://api.example.com/" + x}),
				step("e", "check-metrics", nil, fields{"query": x, "metricEndpoint": "http://metrics.example.com", "condition": ">" + x, "duration": x}),
				step("f", "apply-deployment", nil, fields{"image": "nginx:" + x, "replicas": x}),
				step("g", "export2config", nil, fields{"configName": x, "data": fields{"a": x}}),
				step("h", "export2secret", fields{"inputs": []any{fields{"from": x, "parameterKey": "data." + x}}}, fields{"secretName": x}),
				step("i", "generate-jdbc-connection", fields{"outputs": []any{fields{"name": "env"}}}, fields{"name": x}),
				step("j", "canary-rollout", nil, fields{"traffic": fields{"weightedTargets": []any{fields{"revision": x, "weight": 20}, fields{"revision": "web-v1", "weight": 80}}}}),
				step("m", "predownloadimage", nil, fields{"image": "nginx", "parallel": x, "kvs": fields{x: x}}),
				step("k", "suspend", nil, fields{"duration": x}),
				step("l", "apply-component", fields{"inputs": []any{fields{"from": "env", "parameterKey": "env"}}}, fields{"component": "web"}),
			}},
		},
	}
}

func hostileObjects(x string) any {
	labels := fields{"app": "web"}
	return fields{"apiVersion": "v1", "kind": "List", "items": []any{
		fields{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": fields{"name": "web"}, "spec": fields{
			"replicas": 3, "strategy": fields{"type": x, "rollingUpdate": fields{"maxSurge": x, "maxUnavailable": x}},
			"template": fields{"metadata": fields{"labels": labels}, "spec": fields{
				"runtimeClassName": map[bool]string{true: "gvisor", false: "\n"}[x == "web"], "nodeSelector": fields{x: "a", "b": x}, "os": fields{"name": x}, "hostname": x, "subdomain": x,
				"dnsPolicy": x, "dnsConfig": fields{"nameservers": []any{x}, "searches": []any{x}, "options": []any{fields{"name": x, "value": x}}},
				"securityContext": fields{"windowsOptions": fields{"hostProcess": x == "a", "runAsUserName": x}, "supplementalGroups": []any{x}},
				"affinity": fields{
					"nodeAffinity":    fields{"requiredDuringSchedulingIgnoredDuringExecution": fields{"nodeSelectorTerms": []any{fields{"matchExpressions": []any{fields{"key": x, "operator": "In", "values": []any{x}}}}}}},
					"podAntiAffinity": fields{"preferredDuringSchedulingIgnoredDuringExecution": []any{fields{"weight": x, "podAffinityTerm": fields{"topologyKey": x, "labelSelector": fields{"matchLabels": labels}}}}},
				},
				"topologySpreadConstraints": []any{fields{"maxSkew": 1, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "DoNotSchedule", "minDomains": x, "labelSelector": fields{"matchLabels": labels}}},
				"containers": []any{fields{
					"name": "web", "image": "nginx", "workingDir": x, "terminationMessagePath": x, "tty": x, "ports": []any{fields{"containerPort": 80}},
					"volumeMounts": []any{fields{"name": "m", "mountPath": "/m"}},
				}},
				"volumes": []any{fields{"name": "m", "emptyDir": fields{"medium": "Memory", "sizeLimit": x}}},
			}},
		}},
		fields{"apiVersion": "v1", "kind": "Service", "metadata": fields{"name": "web"}, "spec": fields{"type": x, "selector": labels, "ports": []any{fields{"port": 80}}}},
	}}
}

func hostileProject(x string) any {
	return fields{"services": fields{"web": fields{
		"image": "nginx", "runtime": map[bool]string{true: "gvisor", false: "runc"}[x == "web"], "hostname": x, "working_dir": x, "tty": x, "dns": []any{x}, "dns_search": []any{x},
		"shm_size": x, "tmpfs": []any{"/t:size=" + x, x},
	}}}
}

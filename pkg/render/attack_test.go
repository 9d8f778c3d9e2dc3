package render

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/render/declared"
	"github.com/d-aros/d-aros/test/silent"
	"github.com/d-aros/d-aros/test/texttest"
)

// kustomization renders a kustomize component whose directory k is in files.
func kustomization(t testing.TB, files fs.FS) (Set, error) {
	s := readScenario(t, []byte(`
kinds: [ConfigMap, Secret, Deployment, Service, HorizontalPodAutoscaler, CronJob, DaemonSet, Pod]
registries: [ghcr.io/acme]
components: [{name: k, type: kustomize, replicas: 2, requests: {cpu: 100m, memory: 64Mi}, properties: {path: k}}]`))
	return Application(s.input(t, files))
}

func mapFS(files ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		tree[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return tree
}

const configMap = `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`

func TestAttack01Symlink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(secret, []byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {canary: canary}}"), 0o600))
	for name, target := range map[string]string{
		"absolute": secret, "parent": "../../" + filepath.Base(filepath.Dir(secret)) + "/secret",
		"git": "../.git/config", "dangling": "nowhere", "loop": "cm.yaml",
	} {
		for _, where := range []string{"file", "directory", "kustomization"} {
			t.Run(name+"/"+where, func(t *testing.T) {
				root := t.TempDir()
				require.NoError(t, os.MkdirAll(filepath.Join(root, "k"), 0o755))
				text := "resources: [cm.yaml]"
				link := filepath.Join(root, "k", "cm.yaml")
				switch where {
				case "directory":
					text = "resources: [sub/secret]"
					link = filepath.Join(root, "k", "sub")
					target := filepath.Dir(target)
					require.NoError(t, os.Symlink(target, link))
				case "kustomization":
					link = filepath.Join(root, "k", "kustomization.yaml")
					require.NoError(t, os.Symlink(target, link))
				default:
					require.NoError(t, os.Symlink(target, link))
				}
				if where != "kustomization" {
					require.NoError(t, os.WriteFile(filepath.Join(root, "k", "kustomization.yaml"), []byte(text), 0o644))
				}
				set, err := kustomization(t, os.DirFS(root))
				require.ErrorContains(t, err, declared.CodeFiles)
				require.Empty(t, set.Objects)
				require.NotContains(t, err.Error(), "canary")
			})
		}
	}
}

// TestAttack02PathTraversal: each reference is refused for its own reason, by the file and
// the line that have it, although what it leads to is there to be read.
func TestAttack02PathTraversal(t *testing.T) {
	for ref, why := range map[string]string{
		"../../other": "leads out of the application's directory", "../k/../../other": "leads out of the application's directory",
		"sub/../../../other": "leads out of the application's directory", "../..": "leads out of the application's directory",
		"/etc": "is an absolute path", "/other": "is an absolute path", `..\other`: "is not a path", "a\x00b": "is not a path",
	} {
		for _, field := range []string{"resources: [%q]", "components: [%q]", "bases: [%q]", "patches: [{path: %q}]",
			"patchesStrategicMerge: [%q]", "patchesJson6902: [{path: %q, target: {kind: ConfigMap, name: a}}]",
			"replacements: [{path: %q}]", "configMapGenerator: [{name: a, files: [%q]}]", "configMapGenerator: [{name: a, envs: [%q]}]",
			"secretGenerator: [{name: a, env: %q}]", "transformers: [%q]",
			"transformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: %q}']"} {
			_, err := kustomization(t, mapFS("k/kustomization.yaml", fmt.Sprintf(field, ref), "k/a.yaml", configMap,
				"other", configMap, "other/kustomization.yaml", "resources: [cm.yaml]", "other/cm.yaml", configMap))
			require.ErrorContains(t, err, declared.CodeFiles, "%s %s", field, ref)
			require.ErrorContains(t, err, "k/kustomization.yaml:1: ", "%s %s", field, ref)
			reason := why
			if strings.HasPrefix(field, "patchesStrategicMerge") && strings.ContainsRune(ref, 0) {
				reason = "has a NUL character" // it could be the text of a patch as well
			}
			require.ErrorContains(t, err, reason, "%s %s", field, ref)
		}
	}
	// Kustomize demands that files are below their kustomization; so do we.
	_, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [../other.yaml]", "other.yaml", configMap))
	require.ErrorContains(t, err, "not below")
}

func TestAttack03KustomizationCycle(t *testing.T) {
	t.Run("itself", func(t *testing.T) {
		_, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [../k]"))
		require.ErrorContains(t, err, "builds on itself")
	})
	t.Run("each other", func(t *testing.T) {
		_, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [../l]", "l/kustomization.yaml", "components: [../k]"))
		require.ErrorContains(t, err, "builds on itself")
	})
	t.Run("deep", func(t *testing.T) {
		tree := mapFS("k/kustomization.yaml", "resources: [../d0]")
		for i := range 500 {
			tree[fmt.Sprintf("d%d/kustomization.yaml", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "resources: [../d%d]", i+1)}
		}
		_, err := kustomization(t, tree)
		require.ErrorContains(t, err, "above each other")
	})
}

// TestAttack04RemoteReference: whatever names something elsewhere is refused, and
// nobody is asked: no connection comes, and a git on the PATH would say so.
func TestAttack04RemoteReferenceSSRF(t *testing.T) {
	trap := filepath.Join(t.TempDir(), "called")
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ntouch "+trap+"\n"), 0o755))
	t.Setenv("PATH", bin)
	host := silent.Address(t)
	for _, ref := range []string{
		"http://" + host + "/a.yaml", "HTTP://" + host + "/a", "https://" + host + "/a", "git::http://" + host + "/a", "ssh://git@" + host + "/a",
		"git@" + host + ":a/b", "oci://" + host + "/a", "file:///etc", "http:/" + host + "/a", "//" + host + "/a", host + "/a//b?ref=c",
		"github.com/acme/shop", "github.com/acme/shop?ref=main", "gh:acme/shop", "example.com/a.git", "a.git//b",
	} {
		for _, field := range []string{"resources: [%q]", "components: [%q]", "bases: [%q]", "patches: [{path: %q}]",
			"patchesStrategicMerge: [%q]", "replacements: [{path: %q}]", "configMapGenerator: [{name: a, files: [a=%s]}]",
			"configMapGenerator: [{name: a, envs: [%q]}]", "secretGenerator: [{name: a, files: [%q]}]",
			"openapi: {path: %q}", "crds: [%q]", "configurations: [%q]", "generators: [%q]", "transformers: [%q]", "validators: [%q]",
			"transformers: ['{apiVersion: builtin, kind: PatchTransformer, metadata: {name: a}, path: %q}']",
			"transformers: ['{apiVersion: builtin, kind: PatchJson6902Transformer, metadata: {name: a}, path: %q}']",
			"transformers: ['{apiVersion: builtin, kind: PatchStrategicMergeTransformer, metadata: {name: a}, paths: [%q]}']",
			"transformers: ['{apiVersion: builtin, kind: ReplacementTransformer, metadata: {name: a}, replacements: [{path: %q}]}']",
			"transformers: ['{apiVersion: builtin, kind: ValueAddTransformer, metadata: {name: a}, targetFilePath: %q}']",
			"transformers: ['{apiVersion: builtin, kind: HelmChartInflationGenerator, metadata: {name: a}, repo: %q, chartName: a}']",
			"patchesStrategicMerge: ['{%q: {}}']", "transformers: ['{%q: {}}']"} {
			_, err := kustomization(t, mapFS("k/kustomization.yaml", fmt.Sprintf(field, ref)))
			require.Error(t, err, "%s %s", field, ref)
			if !strings.Contains(field, "{%q: {}}") { // a patch without a kind is what kustomize refuses
				require.Regexp(t, declared.CodeFiles+"|"+declared.CodeUnpinned, err.Error(), "%s %s", field, ref)
			}
		}
	}
	t.Run("pinned", func(t *testing.T) {
		for _, field := range []string{"resources: [%q]", "components: [%q]", "bases: [%q]"} {
			_, err := kustomization(t, mapFS("k/kustomization.yaml", fmt.Sprintf(field, "https://"+host+"/a//b?ref="+strings.Repeat("a", 40))))
			require.ErrorContains(t, err, declared.CodeUnreached+" ", "policy names no host")
			require.ErrorContains(t, err, "k/kustomization.yaml:1: ")
		}
	})
	t.Run("directories named like repositories are directories", func(t *testing.T) {
		// Given these names, kustomize itself would run git.
		for _, dir := range []string{"github.com/acme/shop", "a.git"} {
			set, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: ["+dir+"]",
				"k/"+dir+"/kustomization.yaml", "resources: [cm.yaml]", "k/"+dir+"/cm.yaml", configMap))
			require.NoError(t, err)
			require.Len(t, set.Objects, 1)
		}
	})
	require.NoFileExists(t, trap)
}

// TestAttack05HostileRemoteBody: a remote that never ends its answer is never asked, so a
// build of each form of address ends by itself and says that only files are read.
func TestAttack05HostileRemoteBody(t *testing.T) {
	server := "http://" + silent.Address(t)
	for _, path := range []string{"/slow.yaml", "/large.yaml", "/bomb.yaml.gz", "/repo.git//k"} {
		for _, field := range []string{"resources: [%q]", "components: [%q]", "bases: [%q]", "patches: [{path: %q}]", "configMapGenerator: [{name: a, files: [%q]}]"} {
			set, err := kustomization(t, mapFS("k/kustomization.yaml", fmt.Sprintf(field, server+path)))
			require.ErrorContains(t, err, "looks like an address", "%s %s", field, path)
			require.Empty(t, set.Objects)
		}
	}
}

func TestAttack06ExecPlugin(t *testing.T) {
	for _, text := range []string{
		"helmCharts: [{name: a, repo: 'https://example.com'}]", "helmGlobals: {chartHome: a}", "helmChartInflationGenerator: [{chartName: a}]",
		"generators: [a.yaml]", "validators: [a.yaml]",
		"generators: ['{apiVersion: v1, kind: Exec, metadata: {name: a, annotations: {config.kubernetes.io/function: \"exec: {path: ./a}\"}}}']",
	} {
		_, err := kustomization(t, mapFS("k/kustomization.yaml", text, "k/a.yaml", configMap))
		require.ErrorContains(t, err, "not allowed", text)
	}
	for _, text := range []string{
		"{apiVersion: v1, kind: Exec, metadata: {name: a, annotations: {config.kubernetes.io/function: \"exec: {path: ./a}\"}}}",
		"{apiVersion: builtin, kind: PrefixTransformer, metadata: {name: a}, function: {exec: {path: ./a}}}",
		"{apiVersion: builtin, kind: ../../PrefixTransformer, metadata: {name: a}}", "{apiVersion: BUILTIN, kind: PrefixTransformer, metadata: {name: a}}",
		"{apiVersion: builtin, kind: IAMPolicyGenerator, metadata: {name: a}}", "{apiVersion: builtin, kind: Plugin, metadata: {name: a}}",
	} {
		for _, entry := range []string{"transformers: [a.yaml]", "transformers: ['" + text + "']"} {
			_, err := kustomization(t, mapFS("k/kustomization.yaml", entry, "k/a.yaml", text))
			require.ErrorContains(t, err, declared.CodeFiles, text)
		}
	}
	for _, text := range []string{"OpenAPI: {path: a}", "Resources: [a.yaml]", "generatorſ: [a.yaml]", "plugins: [a]"} {
		// JSON matches names whatever their case. What matters is what it was read as.
		_, err := kustomization(t, mapFS("k/kustomization.yaml", text))
		require.ErrorContains(t, err, declared.CodeFiles, text)
	}
	// An annotation that names a program is an annotation.
	set, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml",
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {config.kubernetes.io/function: "exec: {path: /bin/false}"}}}`))
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
}

// TestAttack07SchemaPollution: what changes how kustomize reads objects is refused, and a
// build before or beside another one changes no byte of it.
func TestAttack07SchemaPollution(t *testing.T) {
	hostile := []fs.FS{}
	for _, text := range []string{"openapi: {path: schema.json}", "openapi: {version: v1.20.4}", "crds: [crd.json]", "configurations: [c.yaml]"} {
		tree := mapFS("k/kustomization.yaml", "resources: [a.yaml]\n"+text, "k/a.yaml", configMap,
			"k/schema.json", `{"definitions": {"io.k8s.api.core.v1.Container": {"x-kubernetes-patch-merge-key": "image"}}}`, "k/crd.json", "{}", "k/c.yaml", "{}")
		_, err := kustomization(t, tree)
		require.ErrorContains(t, err, "not allowed", text)
		hostile = append(hostile, tree)
	}
	tenants := make([]fs.FS, 6)
	for i := range tenants {
		tenants[i] = mapFS("k/kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]\nconfigMapGenerator: [{name: c, literals: [a=b]}]",
			"k/a.yaml", podWith(fmt.Sprintf(`{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: "ghcr.io/acme/a:%d", resources: {requests: {cpu: 10m, memory: 1Mi}}}]}}`, i)),
			"k/p.yaml", `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: {containers: [{name: a, env: [{name: A, value: b}]}]}}}}`)
	}
	bytesOf := func(t *testing.T, files fs.FS) (all string) {
		set, err := kustomization(t, files)
		require.NoError(t, err)
		for i := range set.Objects {
			all += string(set.Objects[i].JSON)
		}
		return all
	}
	want := make([]string, len(tenants))
	for i := range tenants {
		want[i] = bytesOf(t, tenants[i])
		require.Contains(t, want[i], `"env"`)
	}
	for i := len(tenants) - 1; i >= 0; i-- {
		_, err := kustomization(t, hostile[i%len(hostile)])
		require.Error(t, err)
		require.Equal(t, want[i], bytesOf(t, tenants[i]), "in another order")
	}
	t.Run("at once", func(t *testing.T) {
		for i := range 4 * len(tenants) {
			t.Run("tenant", func(t *testing.T) {
				t.Parallel()
				_, err := kustomization(t, hostile[i%len(hostile)])
				require.Error(t, err)
				require.Equal(t, want[i%len(tenants)], bytesOf(t, tenants[i%len(tenants)]))
			})
		}
	})
}

func TestAttack08YAMLBomb(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for i := 'b'; i < 'k'; i++ {
		bomb += fmt.Sprintf("%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", i, i, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1, i-1)
	}
	object := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"
	for name, text := range map[string]string{
		"aliases":         object + bomb,
		"alias of itself": object + "a: &a [*a]\n",
		"duplicate keys":  object + "kind: Secret\n",
		"many documents":  strings.Repeat("---\n{}\n", 100_000),
		"NUL":             object + "a: \"\x00\"\n",
		"not UTF-8":       object + "a: \xff\n",
		"own tags":        object + "a: !!python/object/apply:os.system [id]\n",
		"deep":            object + "a: " + strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"large":           object + "a: " + strings.Repeat("x", 1<<20),
		"broken":          "{{{",
	} {
		t.Run(name, func(t *testing.T) {
			for _, tree := range []fstest.MapFS{
				mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml", text),
				mapFS("k/kustomization.yaml", text),
				mapFS("k/kustomization.yaml", "resources: [a.yaml]\npatches: [{path: p.yaml}]", "k/a.yaml", configMap, "k/p.yaml", text),
			} {
				set, err := kustomization(t, tree)
				require.Error(t, err)
				require.Less(t, len(err.Error()), 1000)
				require.Empty(t, set.Objects)
			}
		})
	}
	for name, text := range map[string]string{"CRLF": strings.ReplaceAll(object, "\n", "\r\n"), "BOM": "\ufeff" + object} {
		set, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml", text))
		require.NoError(t, err, name)
		require.Len(t, set.Objects, 1)
	}
}

// TestAttack08Growth: many references are no danger by themselves. What grows in a build
// is ended where it is built: TestAttack08KustomizeBombs of pkg/evaluate/pool.
func TestAttack08Growth(t *testing.T) {
	copies := "resources: [a.yaml, b.yaml]\nreplacements:\n"
	for range 35 {
		copies += "- {source: {kind: ConfigMap, name: a, fieldPath: metadata.name}, targets: [{select: {kind: Service}, fieldPaths: [metadata.annotations.x], options: {create: true}}]}\n"
	}
	set, err := kustomization(t, mapFS("k/kustomization.yaml", copies+"- path: r.yaml", "k/a.yaml", configMap, "k/b.yaml", "{apiVersion: v1, kind: Service, metadata: {name: b}}",
		"k/r.yaml", "source: {kind: ConfigMap, name: a, fieldPath: metadata.name}\ntargets: [{select: {kind: Service}, fieldPaths: [metadata.annotations.y], options: {create: true}}]"))
	require.NoError(t, err)
	require.Equal(t, "a", set.Objects[1].Object.GetAnnotations()["x"])
	require.Equal(t, "a", set.Objects[1].Object.GetAnnotations()["y"])
}

func TestAttack16TenantEscape(t *testing.T) {
	for name, object := range map[string]string{
		"other namespace":  `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: other}}`,
		"namespace":        `{apiVersion: v1, kind: Namespace, metadata: {name: a}}`,
		"quota":            `{apiVersion: v1, kind: ResourceQuota, metadata: {name: d-aros}}`,
		"cluster role":     `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}`,
		"other group":      `{apiVersion: example.com/v1, kind: Deployment, metadata: {name: a}}`,
		"priority class":   `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}}`,
		"webhook":          `{apiVersion: admissionregistration.k8s.io/v1, kind: MutatingWebhookConfiguration, metadata: {name: a}}`,
		"our label":        `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {d-aros.dev/tenant: other}}}`,
		"our annotation":   `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {d-aros.dev/applied: x}}}`,
		"label of pods":    podWith(`{metadata: {labels: {a: b, d-aros.dev/component: x}}, spec: {containers: [{name: a, image: ghcr.io/acme/a}]}}`),
		"hidden labels":    `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: [d-aros.dev/tenant]}}`,
		"hidden in pods":   podWith(`{metadata: {labels: {a: 1}}, spec: {containers: [{name: a, image: ghcr.io/acme/a}]}}`),
		"owner":            `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: [{apiVersion: v1, kind: Node, name: n, uid: u}]}}`,
		"finalizer":        `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, finalizers: [a/b]}}`,
		"external IP":      `{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {externalIPs: [10.0.0.1]}}`,
		"other controller": `{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {nginx.ingress.kubernetes.io/server-snippet: x}}}`,
		"no name":          `{apiVersion: v1, kind: ConfigMap, metadata: {generateName: a}}`,
		"name":             `{apiVersion: v1, kind: ConfigMap, metadata: {name: ../a}}`,
		"other autoscaler": `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: 99, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop-web}}}`,
		"secret in raw":    `{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: canary}}`,
	} {
		t.Run(name, func(t *testing.T) {
			set, err := rawObject(t, object)
			var problems *Error
			require.ErrorAs(t, err, &problems)
			require.Empty(t, set.Objects)
			require.Equal(t, "acme", problems.Problems[0].Tenant)
			require.NotContains(t, err.Error(), "canary")
		})
	}
	_, err := rawObject(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: acme}}`)
	require.NoError(t, err)
}

// rawObject renders a raw component of one object.
func rawObject(t testing.TB, object string) (Set, error) {
	s := readScenario(t, []byte(`
kinds: [ConfigMap, Deployment, Service, DaemonSet, Pod, HorizontalPodAutoscaler, Secret, Namespace, ResourceQuota, ClusterRole.rbac.authorization.k8s.io]
registries: [ghcr.io/acme]
components: [{name: r, type: raw, replicas: 2, requests: {cpu: 100m, memory: 64Mi}, properties: {objects: [`+object+`]}}]`))
	return Application(s.input(t, nil))
}

func podWith(template string) string {
	return `{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, template: ` + template + `}}`
}

// TestAttack17PrivilegeEscalation: each pod asks for one thing that it may not have, and is
// refused for it: the rest of it is as it must be.
func TestAttack17PrivilegeEscalation(t *testing.T) {
	const requests = `, resources: {requests: {cpu: 50m, memory: 16Mi}}`
	container := func(more string) string {
		return `containers: [{name: a, image: ghcr.io/acme/a` + requests + more + `}]`
	}
	asking := func(resources string) string {
		return `containers: [{name: a, image: ghcr.io/acme/a, resources: {` + resources + `}}]`
	}
	image := func(name string) string { return `containers: [{name: a, image: ` + name + requests + `}]` }
	for name, c := range map[string]struct{ code, spec string }{
		"host network":      {declared.CodePrivilege, "hostNetwork: true, " + container("")},
		"host processes":    {declared.CodePrivilege, "hostPID: true, " + container("")},
		"host memory":       {declared.CodePrivilege, "hostIPC: true, " + container("")},
		"node":              {declared.CodePrivilege, "nodeName: node-1, " + container("")},
		"scheduler":         {declared.CodePrivilege, "schedulerName: other, " + container("")},
		"priority":          {declared.CodePrivilege, "priorityClassName: system-node-critical, " + container("")},
		"account":           {declared.CodePrivilege, "serviceAccountName: admin, " + container("")},
		"account, old name": {declared.CodePrivilege, "serviceAccount: admin, " + container("")},
		"token":             {declared.CodePrivilege, "automountServiceAccountToken: true, " + container("")},
		"runtime":           {declared.CodePrivilege, "runtimeClassName: other, " + container("")},
		"sysctl":            {declared.CodePrivilege, "securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}, " + container("")},
		"everywhere":        {declared.CodePrivilege, "tolerations: [{operator: Exists}], " + container("")},
		"host path":         {declared.CodePrivilege, "volumes: [{name: v, hostPath: {path: /}}], " + container("")},
		"nfs":               {declared.CodePrivilege, "volumes: [{name: v, nfs: {server: s, path: /}}], " + container("")},
		"csi":               {declared.CodePrivilege, "volumes: [{name: v, csi: {driver: d}}], " + container("")},
		"projected token":   {declared.CodePrivilege, "volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}], " + container("")},
		"privileged":        {declared.CodePrivilege, container(", securityContext: {privileged: true}")},
		"capability":        {declared.CodePrivilege, container(", securityContext: {capabilities: {add: [SYS_ADMIN]}}")},
		"proc":              {declared.CodePrivilege, container(", securityContext: {procMount: Unmasked}")},
		"host process":      {declared.CodePrivilege, container(", securityContext: {windowsOptions: {hostProcess: true}}")},
		"host port":         {declared.CodePrivilege, container(", ports: [{containerPort: 1, hostPort: 1}]")},
		"init container":    {declared.CodePrivilege, container("") + ", initContainers: [{name: i, image: ghcr.io/acme/a" + requests + ", securityContext: {privileged: true}}]"},
		"image":             {declared.CodeImage, image("docker.io/evil/a")},
		"image prefix":      {declared.CodeImage, image("ghcr.io/acme-evil/a")},
		"image path":        {declared.CodeImage, image("ghcr.io/acme/../evil/a")},
		"init image":        {declared.CodeImage, container("") + ", initContainers: [{name: i, image: evil" + requests + "}]"},
		"unknown field":     {declared.CodeUnreadable, "hostnetwork: true, " + container("")},
		"no containers map": {declared.CodeUnreadable, "containers: {}"},
		"replicas":          {declared.CodeUndeclared, asking("requests: {cpu: 250m, memory: 16Mi}")},
		"limits":            {declared.CodeUndeclared, asking("requests: {cpu: 50m}, limits: {memory: 1Gi}")},
		"init requests":     {declared.CodeUndeclared, container("") + ", initContainers: [{name: i, image: ghcr.io/acme/a, resources: {requests: {cpu: 300m, memory: 16Mi}}}]"},
		"device":            {declared.CodeUndeclared, asking("requests: {cpu: 50m, memory: 16Mi}, limits: {nvidia.com/gpu: '1'}")},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rawObject(t, podWith(`{metadata: {labels: {a: b}}, spec: {`+c.spec+`}}`))
			require.ErrorContains(t, err, c.code)
			_, err = rawObject(t, `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {`+c.spec+`}}`)
			require.ErrorContains(t, err, c.code)
			_, err = kustomization(t, mapFS("k/kustomization.yaml", "resources: [a.yaml]", "k/a.yaml", podWith(`{metadata: {labels: {a: b}}, spec: {`+c.spec+`}}`)))
			require.ErrorContains(t, err, c.code)
		})
	}
	set, err := rawObject(t, podWith(`{metadata: {labels: {a: b}}, spec: {`+asking("requests: {cpu: 200m, memory: 128Mi}")+`}}`))
	require.NoError(t, err)
	require.Len(t, set.Objects, 1)
}

// TestUndeclared: the message says what is asked for and what was granted.
func TestUndeclared(t *testing.T) {
	asks := func(cpu string, replicas int) error {
		_, err := rawObject(t, fmt.Sprintf(`{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {replicas: %d, selector: {matchLabels: {a: b}},
			template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, resources: {requests: {cpu: %s, memory: 16Mi}}}]}}}}`, replicas, cpu))
		return err
	}
	require.NoError(t, asks("100m", 2))
	require.ErrorContains(t, asks("100m", 3), "asks for 300m cpu, 48Mi memory, but the component was granted 200m cpu, 128Mi memory")
	require.Error(t, asks("201m", 1))
	require.Error(t, asks("100m", -1))
	require.Error(t, asks("100m", 1<<40))
	scaled := `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}, spec: {maxReplicas: %d, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}}`
	both := func(most int) error {
		_, err := rawObject(t, podWith(`{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, resources: {requests: {cpu: 100m, memory: 16Mi}}}]}}`)+", "+fmt.Sprintf(scaled, most))
		return err
	}
	require.NoError(t, both(2))
	require.ErrorContains(t, both(3), "asks for 300m cpu")
	_, err := rawObject(t, `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}},
		template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: ghcr.io/acme/a, resources: {requests: {cpu: 101m, memory: 16Mi}}}]}}}}`)
	require.ErrorContains(t, err, "asks for 202m cpu")
}

// TestAttack25LibraryPanic: one application fails, and only it. These made
// kustomize panic or fail in odd ways.
func TestAttack25LibraryPanic(t *testing.T) {
	for _, text := range []string{
		"", "{}", "[]", "null", "resources:", "resources: [null]", "resources: [a.yaml]\npatches: [{}]", "resources: [a.yaml]\npatches: [{patch: '[]'}]",
		"resources: [a.yaml]\npatches: [{patch: 'null', target: {name: '('}}]", "resources: [a.yaml]\nreplacements: [{}]", "resources: [a.yaml]\nreplacements: [null]",
		"resources: [a.yaml]\nreplacements: [{source: null, targets: [null]}]", "resources: [a.yaml]\nimages: [{name: '['}]", "resources: [a.yaml]\nreplicas: [{}]",
		"resources: [a.yaml]\nlabels: [{pairs: null, fields: [{path: ''}]}]", "configMapGenerator: [{}]", "kind: Component\nresources: [a.yaml]", "namespace: other\nresources: [a.yaml]",
		"resources: [a.yaml]\nreplacements: [{source: {kind: ConfigMap, name: a, fieldPath: '[='}, targets: [{select: {kind: ConfigMap}, fieldPaths: ['data.[a']}]}]",
	} {
		set, err := kustomization(t, mapFS("k/kustomization.yaml", text, "k/a.yaml", configMap))
		if err != nil {
			require.Empty(t, set.Objects)
			var problems *Error
			require.ErrorAs(t, err, &problems)
		}
	}
	for _, text := range []string{
		"resources: [a.yaml]\npatches: [{patch: '[{\"op\": \"test\", \"path\": \"\"}]', target: {kind: ConfigMap}}]",
		"resources: [a.yaml]\nreplacements: [{source: {kind: ConfigMap, name: a}, targets: [{select: {kind: ConfigMap}, reject: [null], fieldPaths: [data.a]}]}]",
	} {
		_, err := kustomization(t, mapFS("k/kustomization.yaml", text, "k/a.yaml", configMap))
		require.ErrorContains(t, err, "kustomize gave up: runtime error", "this version of kustomize panics: %s", text)
	}
	_, err := kustomization(t, mapFS())
	require.ErrorContains(t, err, declared.CodeFiles)
}

// TestAttack18SecretLeak: an error about a build with secrets repeats nothing, and says where it is.
func TestAttack18SecretLeak(t *testing.T) {
	for _, tree := range []fstest.MapFS{
		mapFS("k/kustomization.yaml", "secretGenerator: [{name: a, literals: [a=canary, a=canary]}]"),
		mapFS("k/kustomization.yaml", "secretGenerator: [{name: a, literals: [canary]}]"),
		mapFS("k/kustomization.yaml", "resources: [s.yaml]\npatches: [{patch: '[{\"op\": \"test\", \"path\": \"/stringData/a\", \"value\": \"x\"}]', target: {kind: Secret}}]",
			"k/s.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: canary}}"),
		mapFS("k/kustomization.yaml", "resources: [s.yaml]\nreplacements: [{source: {kind: Secret, name: a}, targets: [{select: {kind: Secret}, fieldPaths: ['']}]}]",
			"k/s.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: canary}}"), // kustomize repeats the object
		mapFS("k/kustomization.yaml", "resources: [s.yaml]", "k/s.yaml", "{apiVersion: v1, kind: Secret, metadata: {name: a, labels: {d-aros.dev/x: canary}}, type: kubernetes.io/service-account-token}"),
	} {
		_, err := kustomization(t, tree)
		require.Error(t, err, "%s", tree["k/kustomization.yaml"].Data)
		require.NotContains(t, err.Error(), "canary")
		if !strings.Contains(err.Error(), declared.CodeReserved) { // of an object, not of the build
			require.Regexp(t, `k/kustomization.yaml:\d: `, err.Error())
		}
	}
}

// TestFilesMissing: a kustomization cannot be rendered from the status branch.
func TestFilesMissing(t *testing.T) {
	_, err := kustomization(t, nil)
	require.ErrorContains(t, err, "as of commit 1111111111111111111111111111111111111111")
}

// TestCollision: two components cannot bring one object.
func TestCollision(t *testing.T) {
	s := readScenario(t, []byte(`
kinds: [ConfigMap]
components:
- {name: a, type: config, properties: {data: {}}}
- {name: b, type: raw, properties: {objects: [{apiVersion: v1, kind: ConfigMap, metadata: {name: shop-a}}]}}`))
	_, err := Application(s.input(t, nil))
	require.ErrorContains(t, err, "DA1704 application.components.b.properties: brings ConfigMap shop-a, which component a has already")
}

// TestMessagesAboutFilesAreLines: a message about files names them as text that is safe to
// show.
func TestMessagesAboutFilesAreLines(t *testing.T) {
	for _, s := range texttest.Corpus() {
		_, err := kustomization(t, mapFS("k/kustomization.yaml", "resources: [../sub]", "sub/kustomization.yaml", "nameprefix"+strings.ToValidUTF8(s, "?")+": a"))
		if err != nil {
			texttest.Line(t, strings.TrimPrefix(err.Error(), "\n"), 3000)
		}
	}
}

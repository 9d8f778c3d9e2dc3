package importing_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/importing"
	"github.com/d-aros/d-aros/test/inprocess"
)

// essentials are what a pod does.
type essentials struct {
	image, command, args string
	env, mounts          []string // env: names, with values that are texts and lead nowhere else
	ports                []int32
	cpu, memory          string
	replicas             int32
}

func essentialsOf(replicas *int32, pod corev1.PodSpec, name string) (e essentials) {
	c := pod.Containers[0]
	for _, each := range pod.Containers {
		if each.Name == name {
			c = each
		}
	}
	e.image = strings.TrimPrefix(strings.TrimPrefix(c.Image, "docker.io/"), "library/")
	e.command, e.args = strings.Join(c.Command, "\x00"), strings.Join(c.Args, "\x00")
	for _, v := range c.Env {
		e.env = append(e.env, v.Name)
	}
	slices.Sort(e.env)
	for _, m := range c.VolumeMounts {
		e.mounts = append(e.mounts, m.MountPath+" "+m.SubPath)
	}
	slices.Sort(e.mounts)
	for _, p := range c.Ports {
		e.ports = append(e.ports, p.ContainerPort)
	}
	e.cpu, e.memory = c.Resources.Requests.Cpu().String(), c.Resources.Requests.Memory().String()
	e.replicas = 1
	if replicas != nil {
		e.replicas = *replicas
	}
	return e
}

// TestRenderingHasTheEssentials: Deployments and StatefulSets that were imported and rendered have the images,
// commands, variables, ports, requests, volumes and replicas that they had before.
func TestRenderingHasTheEssentials(t *testing.T) {
	files := []string{"testdata/kubernetes/plain.yaml"}
	if boutique := filepath.Join(*sharedData, "online-boutique/release/kubernetes-manifests.yaml"); exists(boutique) {
		files = append(files, boutique)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		before := map[string]essentials{}
		for decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096); ; {
			var object map[string]any
			err := decoder.Decode(&object)
			if err == io.EOF {
				break
			}
			require.NoError(t, err)
			objects, isList := object["items"].([]any)
			if !isList {
				objects = []any{object}
			}
			for _, o := range objects {
				if d := deploymentOf(t, o.(map[string]any)); d != nil {
					e := essentialsOf(d.Spec.Replicas, d.Spec.Template.Spec, "")
					if e.cpu == "0" {
						e.cpu, e.memory = "50m", "64Mi" // as the platform says without a word
					}
					before[d.Name] = e
				}
			}
		}
		require.NotEmpty(t, before)
		result, err := importing.Import(data, importing.Options{File: name, Name: "x", Labels: map[string]string{"team": "import"}})
		require.NoError(t, err)
		evaluated := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", tree{fstest.MapFS{
			"fleet.cue":                   {Data: []byte(fleet)},
			"tenants/acme/tenant.cue":     {Data: []byte("package fleet\n\ntenant: name: \"acme\"\n")},
			"tenants/acme/apps/x/app.cue": {Data: result.CUE},
		}}, nil)
		require.Empty(t, evaluated.Problems)
		set, err := objectsOf(&evaluated, evaluated.Applications[0])
		require.NoError(t, err)
		after := map[string]essentials{}
		for _, o := range set.Objects {
			if d := deploymentOf(t, o.Object.Object); d != nil {
				after[o.Component] = essentialsOf(d.Spec.Replicas, d.Spec.Template.Spec, o.Component)
			}
		}
		require.Equal(t, before, after, name)
	}
}

// deploymentOf returns a Deployment, or a StatefulSet, which has the fields that are compared, too.
func deploymentOf(t *testing.T, object map[string]any) *appsv1.Deployment {
	if object["kind"] != "Deployment" && object["kind"] != "StatefulSet" {
		return nil
	}
	var d appsv1.Deployment
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, &d))
	return &d
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

package importing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// objects are the objects of a file of Kubernetes, by what becomes of them.
type objects struct {
	workloads, services, ingresses, others []*node
	claims                                 map[string]*node
	made                                   map[*node]*component // of workloads
}

// manifests reads objects of Kubernetes.
type manifests struct{}

var manifest manifests

// workloadTypes are the types of components that kinds become.
var workloadTypes = map[string]string{
	"Deployment": "worker", "StatefulSet": "store", "DaemonSet": "daemon", "Job": "job", "CronJob": "cron", "Pod": "worker", "ReplicaSet": "worker",
	"CloneSet": "worker", "Rollout": "worker", // of OpenKruise and Argo: a Deployment that is updated in another way
}

// read reads objects of Kubernetes.
func (manifests) read(t *translation, docs []*node) error {
	docs = unlisted(docs)
	if len(docs) == 0 {
		return errors.New("has no object")
	}
	if len(docs) > maxItems {
		return fmt.Errorf("has more than %d objects", maxItems)
	}
	manifest.objects(t, docs)
	return nil
}

// unlisted takes the objects out of Lists.
func unlisted(docs []*node) (all []*node) {
	for _, d := range docs {
		if strings.HasSuffix(d.at("kind").string(), "List") && d.at("items") != nil {
			mark(kept, d.at("kind"), d.at("apiVersion"))
			all = append(all, d.at("items").items()...)
			continue
		}
		all = append(all, d)
	}
	return all
}

// objects adds the components that objects come to, and returns those of workloads.
func (manifests) objects(t *translation, docs []*node) map[*node]*component {
	t.app.name = cmp.Or(t.app.name, dnsName(baseName(t.file))) // names of Secrets begin with it
	o := manifest.sorted(t, docs)
	for _, d := range o.workloads { // names first: variables lead to them
		o.made[d] = t.component(d.at("metadata.name").string(), workloadTypes[d.at("kind").string()])
		_, meta := podOf(d)
		affine.label(t, o.made[d], meta.at("labels"))
	}
	for _, s := range o.services {
		if d := selected(s, o.workloads); d != nil {
			t.use(s.at("metadata.name").string(), o.made[d].name)
		}
	}
	for _, d := range o.workloads {
		manifest.readWorkload(t, d, o.made[d], o.claims)
	}
	o.join(t)
	return o.made
}

// sorted sorts objects by what becomes of them. ConfigMaps and Secrets need no workload.
func (manifests) sorted(t *translation, docs []*node) objects {
	o := objects{claims: map[string]*node{}, made: map[*node]*component{}}
	for _, d := range docs {
		kind, name := d.at("kind").string(), d.at("metadata.name").string()
		switch kind {
		case "ConfigMap":
			t.config(name, d.at("data"))
			identity(d)
			mark(kept, d.at("immutable"))
			t.lose(d.at("binaryData"), because("a config has texts only", "a component of type kustomize, or a file in the image"))
		case "Secret":
			t.keep(name, d.at("data"), d.at("stringData"))
			identity(d)
			mark(kept, d.at("type"), d.at("immutable"))
		case "PersistentVolumeClaim":
			o.claims[name] = d
		case "Service":
			o.services = append(o.services, d)
		case "Ingress", "HTTPRoute":
			o.ingresses = append(o.ingresses, d)
		default:
			if workloadTypes[kind] != "" {
				o.workloads = append(o.workloads, d)
				continue
			}
			o.others = append(o.others, d)
		}
	}
	return o
}

// join reads what belongs to workloads.
func (o *objects) join(t *translation) {
	for _, d := range slices.Concat(o.services, o.ingresses, o.others) {
		if err := o.read(t, d); err != nil {
			t.lose(d, err)
		}
	}
	o.readRoles(t)
}

// identity keeps what says of which kind an object is, and its name.
func identity(d *node) { mark(kept, d.at("apiVersion"), d.at("kind"), d.at("metadata.name")) }

// sameLabels keeps labels of an object that its component has.
func (manifests) sameLabels(d *node, c *component) {
	have, _ := c.doc.get("properties.labels").(doc)
	for _, k := range d.at("metadata.labels").fields() {
		if k.node.kind == scalar && have[k.name] == k.node.text {
			mark(kept, k.node)
		}
	}
}

// podOf returns the spec and the metadata of the pods of a workload.
func podOf(d *node) (spec, meta *node) {
	switch d.at("kind").string() {
	case "Pod":
		return d.at("spec"), d.at("metadata")
	case "CronJob":
		return d.at("spec.jobTemplate.spec.template.spec"), d.at("spec.jobTemplate.spec.template.metadata")
	}
	return d.at("spec.template.spec"), d.at("spec.template.metadata")
}

var jobRows = []row{
	{"backoffLimit", "properties.backoffLimit", whole(0, 1_000_000)},
	{"completions", "properties.completions", whole(1, 1_000_000)},
	{"parallelism", "replicas", whole(1, 1_000_000)},
	{"activeDeadlineSeconds", "properties.deadline", to.seconds},
}

var cronRows = []row{
	{"schedule", "properties.schedule", matching(schedulePattern, "is no schedule with five fields")},
	{"timeZone", "properties.timeZone", matching(zonePattern, "is no time zone")},
	{"concurrencyPolicy", "properties.concurrency", matching(concurrencyPattern, "is neither Forbid, nor Allow, nor Replace")},
	{"suspend", "", always("a component is not suspended by itself", "false")},
}

// readWorkload reads an object that makes pods.
func (manifests) readWorkload(t *translation, d *node, c *component, claims map[string]*node) {
	s := t.scope(c)
	spec := d.at("spec")
	switch d.at("kind").string() {
	case "Job":
		s.take(spec, jobRows)
	case "CronJob":
		c.doc.set("properties.concurrency", "Allow") // as Kubernetes without a word
		s.take(spec, cronRows)
		s.take(spec.at("jobTemplate.spec"), jobRows)
	case "StatefulSet":
		for _, n := range spec.at("volumeClaimTemplates").items() {
			v := &volume{doc: doc{}}
			v.claim(s, n)
			s.volumes[n.at("metadata.name").string()] = v
		}
		mark(kept, spec.at("serviceName"))
		fallthrough
	case "Deployment", "ReplicaSet", "CloneSet", "Rollout":
		s.take(spec, []row{{"replicas", "replicas", whole(0, 1_000_000)}, {"strategy", "", updates("rollingUpdate")}, {"minReadySeconds", "traits.update.minReady", to.seconds}})
	}
	mark(kept, spec.at("selector"))
	pod, meta := podOf(d)
	s.take(meta, []row{{"labels", "properties.labels", to.labels}, {"annotations", "properties.annotations", to.annotations}})
	manifest.readPod(s, pod, claims)
	if c.doc.get("properties.image") == nil {
		t.lose(d, because("has no container with an image", ""))
		t.drop(c)
		return
	}
	identity(d)
	manifest.sameLabels(d, c)
	if c.replicas() == 0 {
		delete(c.doc, "replicas")
		t.lose(spec.at("replicas"), because("is stopped by its application, not by its replicas", "desired: \"suspended\""))
	}
}

// readPod reads the spec of a pod: its first container is the component's own.
func (manifests) readPod(s *scope, spec *node, claims map[string]*node) {
	pod.declareVolumes(s, spec.at("volumes"), claims)
	containers := spec.at("containers").items()
	if len(containers) == 0 {
		return
	}
	s.take(containers[0], mainRows)
	s.take(spec, podRows)
	pod.shape(s, containers[0], places, "containers", s.c.name)
	mark(kept, spec.at("restartPolicy"))
	pod.mountAll(s, nil, containers[0])
	for _, n := range spec.at("initContainers").items() {
		pod.addExtra(s, n, n.at("restartPolicy").string() == "Always")
	}
	for _, n := range containers[1:] {
		pod.addExtra(s, n, true)
	}
}

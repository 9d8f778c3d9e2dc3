package importing

import (
	"slices"
	"strconv"
	"strings"
)

// wide are kinds of objects that stand in no namespace, beside those whose names begin with Cluster. No application has them.
var wide = strings.Fields("APIService CSIDriver CSINode CustomResourceDefinition DeviceClass FlowSchema IngressClass GatewayClass MutatingAdmissionPolicy " +
	"MutatingWebhookConfiguration Node PersistentVolume PriorityClass PriorityLevelConfiguration RuntimeClass StorageClass ValidatingAdmissionPolicy " +
	"ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration VolumeAttachment VolumeSnapshotClass")

// raw makes a component of type raw of an object that no other type becomes. It returns nil for one that cannot be one.
func (manifests) raw(t *translation, d *node) *component {
	kind, name := d.at("kind").string(), d.at("metadata.name").string()
	refuse := because("is of a kind that no type of component becomes", "a component of type raw, where policy.kinds allows the kind")
	if d.at("apiVersion").string() == "" || kind == "" || !objectPattern.MatchString(name) || strings.HasPrefix(kind, "Cluster") || slices.Contains(wide, kind) {
		t.lose(d, refuse)
		return nil
	}
	object := doc{}
	for _, k := range d.fields() {
		if k.name == "status" {
			continue // is told apart
		}
		v, err := to.plain(k.node)
		if err != nil {
			t.lose(d, err)
			return nil
		}
		object[k.name] = v
	}
	meta := object.sub("metadata")
	delete(meta, "namespace")
	labels, _ := meta["labels"].(doc)
	for label := range labels {
		if systemPattern.MatchString(label) {
			t.lose(d, because("has labels that D-AROS gives", ""))
			return nil
		}
	}
	c := t.component(name, "raw")
	c.doc.set("properties.objects", []any{object})
	for _, k := range d.fields() {
		for _, below := range append(k.node.fields(), key{"", k.node}) {
			if k.name != "status" && (k.name != "metadata" || below.name != "namespace" && below.name != "") {
				mark(kept, below.node)
			}
		}
	}
	group, _, ok := strings.Cut(d.at("apiVersion").string(), "/")
	if ok && strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		kind += "." + group
	}
	t.note("%s: an object of kind %s, which policy has to allow (kinds)", c.name, kind)
	return c
}

// plain is what a node says as the value of a field. It refuses what CUE would have another way, and what may be a secret.
func (conversion) plain(n *node) (any, error) {
	switch {
	case n.null():
		return nil, nil
	case n.kind == mapping:
		all := doc{}
		for _, k := range n.keys {
			v, err := to.plain(k.node)
			if err != nil {
				return nil, err
			}
			all[k.name] = v
		}
		return all, nil
	case n.kind == sequence:
		all := make([]any, len(n.list))
		for i, e := range n.list {
			v, err := to.plain(e)
			if err != nil {
				return nil, err
			}
			if v == nil {
				return nil, because("has a list with nothing in it", "")
			}
			all[i] = v
		}
		return all, nil
	case n.tag == "!!bool":
		return strings.EqualFold(n.text, "true"), nil
	case n.tag == "!!int":
		if i, ok := n.number(); ok && strconv.FormatInt(i, 10) == n.text { // 0644 is another number in YAML
			return i, nil
		}
	}
	if n.tag != "!!str" {
		return nil, because("has a value that is neither a text, nor a whole number, nor true or false", "")
	}
	if n.name != "key" && holdsSecret(n.name, n.text) { // a key is the name of one
		return nil, because("has a value that may be a secret", "a reference to a Secret")
	}
	return n.text, nil
}

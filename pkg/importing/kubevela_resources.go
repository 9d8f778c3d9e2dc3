package importing

import (
	"encoding/json"
	"strings"
)

// terraformModules is where the add-ons of KubeVela for Terraform have their modules.
const terraformModules = "https://github.com/kubevela-contrib/terraform-modules.git"

// cloudResources are types of the add-ons of KubeVela for Terraform, with the directories of their modules.
var cloudResources = map[string]string{
	"alibaba-ask": "alibaba/cs/serverless-kubernetes", "alibaba-mse": "alibaba/mse", "alibaba-oss": "alibaba/oss/bucket", "alibaba-oss-website": "alibaba/oss/website",
	"alibaba-rds": "alibaba/rds", "alibaba-redis": "alibaba/redis", "alibaba-rocketmq": "alibaba/rocketmq", "alibaba-sls-project": "alibaba/sls/project",
	"alibaba-sls-store": "alibaba/sls/store", "alibaba-vpc": "alibaba/vpc", "alibaba-vswitch": "alibaba/vswitch", "aws-s3": "aws/s3", "deploy-website": "alibaba/oss/deploy-website",
}

// describes returns the fields of the object Configuration that say what a type of component makes by Terraform, nil if it makes nothing by it.
// A definition that is given comes before the add-ons.
func (d *defined) describes(kind string) map[string]any {
	if source := d.templates[definesResource+" "+kind]; source != "" {
		return map[string]any{"hcl": source}
	}
	if remote, path, _ := strings.Cut(d.templates[definesRemote+" "+kind], " "); remote != "" {
		fields := map[string]any{"remote": remote}
		if path != "" {
			fields["path"] = path
		}
		return fields
	}
	path := cloudResources[kind]
	if path == "" || d.has(definesComponent, kind) {
		return nil
	}
	fields := map[string]any{"remote": terraformModules, "path": path}
	if strings.HasPrefix(kind, "aws-") {
		fields["providerRef"] = map[string]any{"name": "aws", "namespace": "default"}
	}
	return fields
}

// resource makes a component of the object from which Terraform's controller makes what a definition describes.
func (d *defined) resource(t *translation, n *node) *component {
	name, variables := n.at("name").string(), map[string]any{}
	spec := d.describes(n.at("type").string())
	for _, k := range n.at("properties").fields() {
		switch {
		case k.name == "region" || k.name == "providerRef" || k.name == "writeConnectionSecretToRef":
			spec[k.name] = to.said(k.node)
		case k.node.kind == scalar && holdsSecret(k.name, k.node.string()):
			t.lose(k.node, because("may be a secret, and the variables of a resource refer to none", "a default of the module, which somebody changes once the resource is there"))
		default:
			variables[k.name] = to.said(k.node)
		}
	}
	spec["variable"] = variables
	object, err := json.Marshal(map[string]any{"apiVersion": "terraform.core.oam.dev/v1beta2", "kind": "Configuration", "metadata": map[string]any{"name": name}, "spec": spec})
	var docs []*node
	if err == nil {
		docs, err = parse(object)
	}
	if err != nil {
		t.lose(n, because("is of a definition that comes to too much", ""))
		return nil
	}
	var c *component
	manifest.aside(t, name, docs, func() { c = manifest.raw(t, docs[0]) })
	if c == nil {
		t.lose(n, because("is a resource with a value that an object cannot have, or that may be a secret", "a reference to a Secret"))
		return nil
	}
	if remote := spec["remote"]; remote != nil {
		t.note("%s: Terraform's controller reads its module from %s, at no certain commit", c.name, remote)
	}
	mark(kept, n.at("name"), n.at("type"), n.at("properties"))
	return c
}

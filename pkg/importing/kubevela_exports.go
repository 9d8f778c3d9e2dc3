package importing

import "strings"

// prepare adds what steps of a workflow make that components refer to: claims, and configs with data that the file has.
func (sequences) prepare(t *translation, steps []*node) {
	for _, n := range steps {
		properties := n.at("properties")
		switch n.at("type").string() {
		case "apply-object":
			if v := properties.at("value"); v.at("kind").string() == "PersistentVolumeClaim" {
				t.claims[v.at("metadata.name").string()] = v
			}
		case "export2config":
			if data := properties.at("data"); len(data.fields()) > 0 {
				t.config(properties.at("configName").string(), data)
			}
		case "generate-jdbc-connection":
			if secret := properties.at("name"); objectPattern.MatchString(secret.string()) {
				for _, o := range n.at("outputs").items() {
					t.connections[o.at("name").string()] = n
				}
			}
		}
	}
}

// write takes a step that writes a ConfigMap, which is a component, or a Secret, which somebody makes. Data that another step hands to it is lost.
func (sequences) write(t *translation, n *node) []doc {
	properties := n.at("properties")
	config, secret := properties.at("configName"), properties.at("secretName")
	handed := because("writes what another step hands on, and what is declared does not follow from that", "a component of type config, or a Secret that somebody makes")
	if c := t.configs[config.string()]; config != nil && c != "" {
		for _, e := range n.at("inputs").items() {
			t.lose(e, handed)
		}
		mark(kept, n.at("name"), n.at("type"), config)
		return []doc{{"type": "deploy", "components": []any{c}}}
	}
	if !objectPattern.MatchString(secret.string()) {
		t.lose(n, handed)
		return nil
	}
	t.keep(secret.string(), properties.at("data"))
	for _, e := range n.at("inputs").items() {
		key, ok := strings.CutPrefix(e.at("parameterKey").string(), "data.")
		if !ok || !keyPattern.MatchString(key) {
			continue
		}
		t.secrets[secret.string()] = append(t.secrets[secret.string()], key)
		mark(withheld, e.at("parameterKey"))
		t.lose(e.at("from"), handed)
	}
	mark(kept, n.at("name"), n.at("type"), properties.at("kind"), properties.at("type"))
	mark(withheld, secret)
	return nil
}

// connection takes a step that makes variables of the Secret of a database. They are variables of the components that the step hands them to.
func (sequences) connection(t *translation, n *node) {
	for _, o := range n.at("outputs").items() {
		if t.connections[o.at("name").string()] == n {
			return // told with the step that takes it
		}
	}
	t.lose(n, because("hands the variables of a database to no component", "env: secret: existing"))
}

// inputs gives components the variables of a database that a step hands them.
func (sequences) inputs(t *translation, n *node, names []any) {
	for _, e := range n.at("inputs").items() {
		from := t.connections[e.at("from").string()]
		if from == nil || e.at("parameterKey").string() != "env" {
			continue
		}
		secret := from.at("properties.name").string()
		for _, c := range t.app.components {
			if c.doc.get("properties.image") == nil || c.name != names[0] {
				continue
			}
			s := t.scope(c)
			env := c.doc.sub("properties").sub("env")
			for variable, key := range map[string]string{"DB_HOST": "DB_HOST", "DB_PORT": "DB_PORT", "DB_NAME": "DB_NAME", "username": "DB_USER", "password": "DB_PASSWORD"} {
				if v, err := s.secret(secret, key); err == nil && env[variable] == nil {
					env[variable] = v
				}
			}
			env["url"] = "jdbc://$(DB_HOST):$(DB_PORT)/$(DB_NAME)?characterEncoding=utf8&useSSL=false"
			t.note("%s: its variable url has its host, port and name of the database from variables beside it", c.name)
			mark(kept, e, from.at("name"), from.at("type"), from.at("properties.name"), from.at("outputs"))
		}
	}
}

// pulled makes an object that has nodes pull an image before it is needed, which OpenKruise reads.
func (sequences) pulled(t *translation, n *node) []any {
	properties := n.at("properties")
	image, ok := fullImage(properties.at("image").string())
	if !ok {
		return nil
	}
	spec := doc{"image": image, "completionPolicy": doc{"type": "Always"}}
	if i, ok := properties.at("parallel").number(); ok && i > 0 && i <= 1_000_000 {
		spec["parallelism"] = i
		mark(kept, properties.at("parallel"))
	}
	labels := doc{}
	for _, k := range properties.at("kvs").fields() {
		if labelPattern.MatchString(k.name) && labelValue.MatchString(k.node.string()) {
			labels[k.name] = k.node.string()
			mark(kept, k.node)
		}
	}
	if len(labels) > 0 {
		spec["selector"] = doc{"matchLabels": labels}
	}
	c := t.component(n.at("name").string(), "raw")
	c.doc.set("properties.objects", []any{doc{"apiVersion": "apps.kruise.io/v1alpha1", "kind": "ImagePullJob", "metadata": doc{"name": c.name}, "spec": spec}})
	t.note("%s: an object of kind ImagePullJob.apps.kruise.io, which policy has to allow (kinds)", c.name)
	mark(kept, properties.at("image"))
	return []any{c.name}
}

// resolve gives components the properties that another one hands them as they stand in the file.
func (sequences) resolve(list []*node) {
	properties := map[string]*node{} // by the names under which they are handed on
	outputs := map[string]*node{}
	for _, n := range list {
		for _, o := range n.at("outputs").items() {
			if name, ok := strings.CutPrefix(o.at("valueFrom").string(), "properties."); ok {
				if v := n.at("properties").at(name); v != nil && v.kind == scalar {
					properties[o.at("name").string()], outputs[o.at("name").string()] = v, o
				}
			}
		}
	}
	for _, n := range list {
		for _, in := range n.at("inputs").items() {
			name, ok := strings.CutPrefix(in.at("parameterKey").string(), "properties.")
			from, into := properties[in.at("from").string()], n.at("properties")
			if !ok || from == nil || into == nil || into.kind != mapping || name == "" || strings.Contains(name, ".") || into.field(name) != nil {
				continue
			}
			into.keys = append(into.keys, key{name, &node{up: into, name: name, line: in.line, text: from.text, tag: from.tag, fate: ignored}})
			mark(kept, in, outputs[in.at("from").string()])
		}
	}
}

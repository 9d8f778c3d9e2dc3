package importing

import "strings"

// configMap returns where the data of a ConfigMap is: the component that has it, else the ConfigMap itself, which
// somebody else makes.
func (t *translation) configMap(name string) (any, error) {
	if component := t.configs[name]; component != "" {
		return component, nil
	}
	if name = t.objectCalled("ConfigMap", name, "existing.configs"); name == "" {
		return nil, because("names no ConfigMap", "a component of type config, and its name")
	}
	return doc{"existing": name}, nil
}

// configKey returns a variable with the value of a key of a ConfigMap.
func (t *translation) configKey(name, key string) (any, error) {
	if !keyPattern.MatchString(key) {
		return nil, because("is no key of a config", "")
	}
	source, err := t.configMap(name)
	if err != nil {
		return nil, err
	}
	if existing, ok := source.(doc); ok {
		return doc{"config": doc{"existing": existing["existing"], "key": key}}, nil
	}
	return doc{"config": doc{"name": source, "key": key}}, nil
}

// existing takes a claim that is in the namespace.
func (v *volume) existing(t *translation, name *node) error {
	claim := t.objectCalled("claim", name.string(), "existing.claims")
	if claim == "" {
		return because("names no claim", "traits: storage with type persistent")
	}
	v.doc["type"], v.doc["claim"] = "claim", claim
	mark(kept, name)
	return nil
}

// objectCalled returns the name of an object that the file does not have, and notes what it needs. A name that Kubernetes
// gives to nothing becomes one that it does; "" is none.
func (t *translation) objectCalled(kind, name, policy string) string {
	called := name
	if !objectPattern.MatchString(name) {
		if called = dnsName(name); called == "" {
			return ""
		}
		t.note("%s %q cannot have this name; %s is written", kind, name, called)
	}
	t.note("%s %s is not in the file: it has to be in the namespace, and policy has to allow its name (%s)", kind, called, policy)
	return called
}

// files takes which keys of a config or a secret become which files.
func (v *volume) files(t *translation, items *node) {
	for _, e := range items.items() {
		key, file := e.at("key").string(), relative(e.at("path").string())
		if !keyPattern.MatchString(key) || !subPattern.MatchString(file) {
			t.lose(e, because("names no key and file", "traits: storage: keys"))
			continue
		}
		v.doc.sub("keys")[file] = key
		mark(kept, e.at("key"), e.at("path"))
	}
}

// relative returns a path without the ./ before it.
func relative(path string) string { return strings.TrimPrefix(path, "./") }

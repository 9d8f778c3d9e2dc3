package importing

// declare declares the volumes of the older trait of that name, which properties mount.
func (vela) declare(s *scope, trait *node) {
	s.each(trait.at("properties.volumes").items(), func(s *scope, n *node) (any, error) {
		v, err := kubevela.volume(s, n, n.at("type").string())
		if err != nil {
			v = &volume{err: err}
		}
		s.volumes[n.at("name").string()] = v
		return nil, keeping(err, trait.at("type"), n.at("name"), n.at("type"))
	})
}

// volume reads a volume of KubeVela.
func (vela) volume(s *scope, n *node, kind string) (*volume, error) {
	v := &volume{doc: doc{}}
	switch kind {
	case "emptyDir":
		v.scratch(s, n, "medium", "sizeLimit")
	case "configMap":
		return v, v.config(s.translation, n.at("cmName"), n.at("items"))
	case "secret":
		return v, v.secret(s.translation, n.at("secretName"), n.at("items"))
	case "pvc":
		if made, known := s.claims[n.at("claimName").string()]; known {
			if made == nil {
				return nil, because("is mounted by another component, too, and each has volumes of its own", "storage of type claim, and a claim in the namespace")
			}
			s.claims[n.at("claimName").string()] = nil
			v.claim(s, made)
			mark(kept, n.at("claimName"))
			return v, nil
		}
		return v, v.existing(s.translation, n.at("claimName"))
	default:
		return nil, because("is of a kind that no storage has", "traits: storage")
	}
	return v, nil
}

// mounted mounts a volume of the older form, which has a path. One without a type was declared by the trait.
func (vela) mounted(s *scope, n *node) (any, error) {
	if kind := n.at("type"); !kind.null() {
		v, err := kubevela.volume(s, n, kind.string())
		if err != nil {
			return nil, err
		}
		s.volumes[n.at("name").string()] = v
	}
	return nil, keeping(kubevela.mount(s, n), n.at("type"))
}

func (vela) mount(s *scope, n *node) error {
	name, path, sub := n.at("name"), n.at("mountPath"), n.at("subPath")
	return keeping(s.mount(name.string(), path.string(), sub.string(), false), name, path, sub)
}

// mounts mounts the newer form: lists of mounts by kind.
func (vela) mounts(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		s.each(k.node.items(), func(s *scope, e *node) (any, error) {
			v, err := kubevela.volume(s, e, k.name)
			if err != nil {
				return nil, err
			}
			s.volumes[e.at("name").string()] = v
			return nil, kubevela.mount(s, e)
		})
	}
	return nil, nil
}

// storage reads the storage trait, which brings its own ConfigMaps, Secrets and claims.
func (vela) storage(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		s.each(k.node.items(), func(s *scope, e *node) (any, error) { return nil, kubevela.store(s, k.name, e) })
	}
	return nil, nil
}

func (vela) store(s *scope, kind string, e *node) error {
	name := e.at("name")
	v := &volume{doc: doc{}}
	switch kind {
	case "pvc":
		if e.at("mountOnly").bool() {
			if err := v.existing(s.translation, name); err != nil {
				return err
			}
			break
		}
		v.doc["type"], v.doc["size"] = "persistent", "8Gi" // as KubeVela without a word
		s.into(v.doc).take(e, claimRows("ReadWriteOnce"))
	case "emptyDir":
		v.scratch(s, e, "medium", "sizeLimit")
	case "configMap":
		if data := e.at("data"); s.configs[name.string()] == "" && !e.at("mountOnly").bool() && data != nil {
			s.config(name.string(), data)
		}
		if err := v.config(s.translation, name, e.at("items")); err != nil {
			return err
		}
		kubevela.variables(s, e, "configMapKey", func(key string) (any, error) { return s.configKey(name.string(), key) })
	case "secret":
		if err := v.secret(s.translation, name, e.at("items")); err != nil {
			return err
		}
		s.keep(name.string(), e.at("data"), e.at("stringData"))
		kubevela.variables(s, e, "secretKey", func(key string) (any, error) { return s.secret(name.string(), key) })
	default:
		return because("is of a kind that no storage has", "traits: storage")
	}
	volume := kind + "-" + name.string()
	s.volumes[volume] = v
	if !e.at("mountPath").null() {
		if err := s.mount(volume, e.at("mountPath").string(), e.at("subPath").string(), e.at("readOnly").bool()); err != nil {
			return err
		}
	}
	mark(kept, name, e.at("mountPath"), e.at("subPath"), e.at("readOnly"), e.at("mountOnly"))
	return nil
}

// variables gives variables the values of keys.
func (vela) variables(s *scope, e *node, field string, value func(key string) (any, error)) {
	for _, m := range append(e.at("mountToEnvs").items(), e.at("mountToEnv")) {
		if m == nil {
			continue
		}
		name := m.at("envName")
		v, err := value(m.at(field).string())
		if err != nil || !variablePattern.MatchString(name.string()) {
			s.lose(m, because("gives no variable the value of a key", ""))
			continue
		}
		s.c.doc.sub("properties").sub("env")[name.string()] = v
		mark(kept, name, m.at(field))
	}
}

// claimed reads the older trait that makes a claim and mounts it.
func (vela) claimed(s *scope, n *node) (any, error) {
	v := &volume{doc: doc{"type": "persistent"}}
	s.into(v.doc).take(n, append(claimRows("ReadWriteOnce", "ReadWriteOncePod"), row{"volumeMode", "", always("a volume has files", "Filesystem")}))
	if v.doc["size"] == nil {
		return nil, because("says no size", "traits: storage: size")
	}
	s.each(n.at("volumesToMount").items(), func(s *scope, m *node) (any, error) {
		name, path := m.at("name"), m.at("mountPath")
		s.volumes[name.string()] = v
		return nil, keeping(s.mount(name.string(), path.string(), "", false), name, path, n.at("claimName"))
	})
	return nil, nil
}

// applied returns the components that the object of a step comes to, to be deployed by it. A claim belongs to the component that
// mounts it, and needs no step.
func (manifests) applied(t *translation, n *node) (names []any) {
	value := n.at("properties.value")
	if value.at("kind").string() != "PersistentVolumeClaim" {
		before := len(t.app.components)
		manifest.objects(t, []*node{value})
		for _, c := range t.app.components[before:] {
			names = append(names, c.name)
		}
	}
	kind := value.at("kind")
	if mark(kept, n.at("name"), n.at("type")); kind == nil || kind.fate != kept {
		t.lose(n, because("makes an object that no component has", "a component of type raw, where policy.kinds allows the kind"))
	}
	return names
}

package importing

// declare declares the volumes of the older trait of that name, which properties mount.
func (vela) declare(s *scope, trait *node) {
	for _, n := range trait.at("properties.volumes").items() {
		v, err := kubevela.volume(s, n, n.at("type").string())
		if err != nil {
			s.lose(n, err)
			v = &volume{err: err}
		} else {
			mark(kept, trait.at("type"), n.at("name"), n.at("type"))
		}
		s.volumes[n.at("name").string()] = v
	}
}

// volume reads a volume of KubeVela.
func (vela) volume(s *scope, n *node, kind string) (*volume, error) {
	v := &volume{doc: doc{}}
	switch kind {
	case "emptyDir":
		v.scratch(s, n, "medium", "sizeLimit")
	case "configMap":
		v.config(s.translation, n.at("cmName"))
		v.files(s.translation, n.at("items"))
		return v, v.err
	case "secret":
		err := v.secret(s.translation, n.at("secretName"))
		if err == nil {
			v.files(s.translation, n.at("items"))
		}
		return v, err
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

// volumes mounts the older form: volumes with a path, some declared by the trait.
func (vela) volumes(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		name := e.at("name").string()
		if kind := e.at("type"); !kind.null() {
			v, err := kubevela.volume(s, e, kind.string())
			if err != nil {
				s.lose(e, err)
				continue
			}
			s.volumes[name] = v
		}
		if err := s.mount(name, e.at("mountPath").string(), e.at("subPath").string(), false); err != nil {
			s.lose(e, err)
			continue
		}
		mark(kept, e.at("name"), e.at("type"), e.at("mountPath"), e.at("subPath"))
	}
	return nil, nil
}

// mounts mounts the newer form: lists of mounts by kind.
func (vela) mounts(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		for _, e := range k.node.items() {
			v, err := kubevela.volume(s, e, k.name)
			if err == nil {
				s.volumes[e.at("name").string()] = v
				err = s.mount(e.at("name").string(), e.at("mountPath").string(), e.at("subPath").string(), false)
			}
			if err != nil {
				s.lose(e, err)
				continue
			}
			mark(kept, e.at("name"), e.at("mountPath"), e.at("subPath"))
		}
	}
	return nil, nil
}

// storage reads the storage trait, which brings its own ConfigMaps, Secrets and claims.
func (vela) storage(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		for _, e := range k.node.items() {
			if err := kubevela.store(s, k.name, e); err != nil {
				s.lose(e, err)
			}
		}
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
		part := &scope{s.translation, s.c, v.doc, nil}
		part.take(e, []row{
			{"resources.requests.storage", "size", asMemory},
			{"storageClassName", "storageClass", matching(objectPattern, "is no name of a class")},
			{"accessModes", "", always("one replica uses a volume", "ReadWriteOnce")},
		})
	case "emptyDir":
		v.scratch(s, e, "medium", "sizeLimit")
	case "configMap":
		if data := e.at("data"); s.configs[name.string()] == "" && !e.at("mountOnly").bool() && data != nil {
			s.config(name.string(), data)
		}
		if v.config(s.translation, name); v.err != nil {
			return v.err
		}
		v.files(s.translation, e.at("items"))
		kubevela.variables(s, e, "configMapKey", func(key string) (any, error) { return s.configKey(name.string(), key) })
	case "secret":
		if !objectPattern.MatchString(name.string()) {
			return because("names no Secret", "")
		}
		s.keep(name.string(), e.at("data"), e.at("stringData"))
		v.doc["type"], v.doc["source"] = "secret", doc{"existing": name.string()}
		v.files(s.translation, e.at("items"))
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
	part := &scope{s.translation, s.c, v.doc, nil}
	part.take(n, []row{
		{"resources.requests.storage", "size", asMemory},
		{"storageClassName", "storageClass", matching(objectPattern, "is no name of a class")},
		{"accessModes", "", always("one replica uses a volume", "ReadWriteOnce", "ReadWriteOncePod")},
		{"volumeMode", "", always("a volume has files", "Filesystem")},
	})
	if v.doc["size"] == nil {
		return nil, because("says no size", "traits: storage: size")
	}
	for _, m := range n.at("volumesToMount").items() {
		name, path := m.at("name"), m.at("mountPath")
		s.volumes[name.string()] = v
		if err := s.mount(name.string(), path.string(), "", false); err != nil {
			s.lose(m, err)
			continue
		}
		mark(kept, name, path, n.at("claimName"))
	}
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

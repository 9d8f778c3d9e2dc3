package importing

import (
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// A volume is one of a pod: how the schema says it, or why it does not.
type volume struct {
	doc doc
	err error
}

// declareVolumes reads the volumes of a pod. Their own fields are kept with the first mount.
func (pods) declareVolumes(s *scope, volumes *node, claims map[string]*node) {
	for _, n := range volumes.items() {
		name := n.at("name").string()
		v := &volume{doc: doc{}}
		switch {
		case n.at("emptyDir") != nil:
			v.scratch(s, n, "emptyDir.medium", "emptyDir.sizeLimit")
		case n.at("configMap") != nil:
			v.err = v.config(s.translation, n.at("configMap.name"), n.at("configMap.items"))
		case n.at("secret") != nil:
			v.err = v.secret(s.translation, n.at("secret.secretName"), n.at("secret.items"))
		case n.at("persistentVolumeClaim") != nil:
			name := n.at("persistentVolumeClaim.claimName")
			if claims[name.string()] == nil {
				v.err = v.existing(s.translation, name)
				break
			}
			v.claim(s, claims[name.string()])
			mark(kept, name)
		case n.at("hostPath") != nil:
			v.err = because("reads a directory of the node", "traits: storage with type persistent or ephemeral")
		default:
			v.err = v.disk(s, n)
		}
		if keeping(v.err, n.at("name")) != nil {
			s.lose(n, v.err)
		}
		s.volumes[name] = v
	}
}

// scratch takes a directory that ends with its pod. One in memory has a size, because it is a part of the memory of the component.
func (v *volume) scratch(s *scope, n *node, medium, size string) {
	v.doc["type"] = "ephemeral"
	s.into(v.doc).take(n, []row{{size, "size", asMemory}})
	switch at := n.at(medium); {
	case at.string() == "Memory" && amount(v.doc, "size", "0", model.ParseMemory) > 0:
		v.doc["memory"] = true
		mark(kept, at)
	case at.string() != "":
		s.lose(at, because("is a directory in memory without a size, or on pages of its own", "traits: storage: memory, with a size"))
	default:
		mark(kept, at)
	}
}

// disks are volumes that are there already, outside the cluster.
var disks = []string{"awsElasticBlockStore", "azureDisk", "azureFile", "gcePersistentDisk", "cephfs", "iscsi", "nfs", "rbd", "vsphereVolume"}

// disk takes a volume that is there already as a claim of its name. Whoever makes the claim says which disk it is.
func (v *volume) disk(s *scope, n *node) error {
	for _, kind := range disks {
		if n.at(kind) == nil {
			continue
		}
		claim := dnsName(n.at("name").string())
		if claim == "" {
			break
		}
		v.doc["type"], v.doc["claim"] = "claim", claim
		s.note("%s: its volume %s is on a disk that is there already: make a claim of that name for the disk, and policy has to allow it (existing.claims)", s.c.name, claim)
		s.lose(n.at(kind), because("is a disk that is there already, and a component names a claim", "a claim of the name of the volume, bound to the disk"))
		return nil
	}
	return because("is of a kind that no storage has", "traits: storage")
}

// config takes a ConfigMap of the file, or of the namespace.
func (v *volume) config(t *translation, name, items *node) error {
	source, err := t.configMap(name.string())
	v.doc["type"], v.doc["source"] = "config", source
	v.files(t, items)
	return keeping(err, name)
}

// secret takes a Secret of the namespace, which somebody is to make.
func (v *volume) secret(t *translation, name, items *node) error {
	if !objectPattern.MatchString(name.string()) {
		return because("names no Secret", "")
	}
	v.doc["type"], v.doc["source"] = "secret", doc{"existing": name.string()}
	t.keep(name.string())
	mark(kept, name)
	v.files(t, items)
	return nil
}

// claimRows are the fields of a claim that is used in some of the modes.
func claimRows(modes ...string) []row {
	return []row{
		{"resources.requests.storage", "size", asMemory},
		{"storageClassName", "storageClass", matching(objectPattern, "is no name of a class")},
		{"accessModes", "", always("one replica uses a volume", modes...)},
	}
}

// claim takes a claim of the file.
func (v *volume) claim(s *scope, n *node) {
	v.doc["type"] = "persistent"
	s.into(v.doc).take(n.at("spec"), claimRows("ReadWriteOnce", "ReadWriteOncePod"))
	mark(kept, n.at("metadata.name"), n.at("apiVersion"), n.at("kind"))
	if v.doc["size"] == nil {
		v.doc["size"] = "1Gi"
		s.note("%s: nothing says how large its volume is; 1Gi is written", s.c.name)
	}
}

// mountAll mounts the volumes of a container: those of the component's own in its storage, those of another
// by name. Into is nil for the component's own.
func (pods) mountAll(s *scope, into doc, container *node) {
	s.each(container.at("volumeMounts").items(), func(s *scope, m *node) (any, error) {
		name, path, sub, readOnly := m.at("name"), m.at("mountPath"), m.at("subPath"), m.at("readOnly")
		return nil, keeping(pod.mountBeside(s, into, name.string(), path.string(), sub.string(), readOnly.bool()), name, path, sub, readOnly)
	})
}

// mount puts a volume into the storage of the component.
func (s *scope) mount(name, path, sub string, readOnly bool) error {
	v := s.volumes[name]
	sub = strings.Trim(sub, "/")
	switch {
	case v == nil:
		return because("names a volume that nothing declares", "")
	case v.err != nil:
		return v.err
	case !mountable(path):
		return because("is mounted at no path from /", "")
	case sub != "" && !subPattern.MatchString(sub):
		return because("is no path below a volume", "")
	}
	entry := doc{"name": dnsName(name), "mountPath": path, "subPath": given(sub), "readOnly": given(readOnly)}
	maps.Copy(entry, v.doc)
	return s.store(entry)
}

// store adds an entry of storage. What stands elsewhere, such as a claim, is mounted a second time by a second entry.
func (s *scope) store(entry doc) error {
	storage := s.c.doc.list("traits.storage")
	if entry["type"] == "claim" || entry["type"] == "config" || entry["type"] == "secret" {
		entry["name"] = unused(entry["name"].(string), func(name string) bool {
			return slices.ContainsFunc(storage, func(e any) bool { return e.(doc)["name"] == name })
		})
	}
	for _, have := range storage {
		have := have.(doc)
		if have["mountPath"] == entry["mountPath"] {
			return because("is mounted where another volume is", "another mountPath")
		}
		if have["name"] == entry["name"] {
			return because("is mounted a second time, and a container mounts a volume once", "one mount of what both need")
		}
	}
	s.c.doc.add("traits.storage", entry)
	return nil
}

// mountBeside mounts a volume into a container beside the component's own, or into that one if into is nil. A volume
// that the component's own does not mount it gets, too.
func (pods) mountBeside(s *scope, into doc, name, path, sub string, readOnly bool) error {
	if into == nil {
		return s.mount(name, path, sub, readOnly)
	}
	sub = strings.Trim(sub, "/")
	switch {
	case !mountable(path):
		return because("is mounted at no path from /", "")
	case sub != "" && !subPattern.MatchString(sub):
		return because("is no path below a volume", "")
	}
	if !slices.ContainsFunc(s.c.doc.list("traits.storage"), func(have any) bool { return have.(doc)["name"] == dnsName(name) }) {
		if err := s.mount(name, path, sub, false); err != nil {
			return err
		}
		s.note("%s: the volume %s is mounted in its own container, too", s.c.name, dnsName(name))
	}
	if sub == "" && !readOnly {
		into.sub("mounts")[dnsName(name)] = path
		return nil
	}
	into.sub("mounts")[dnsName(name)] = doc{"path": path, "subPath": given(sub), "readOnly": given(readOnly)}
	return nil
}

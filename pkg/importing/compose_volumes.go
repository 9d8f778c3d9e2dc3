package importing

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/format"
	"github.com/compose-spec/compose-go/v2/types"
)

// volume takes a named volume; directories of a host are of that host.
func (composeFile) volume(s *scope, n *node) (any, error) {
	v := types.ServiceVolumeConfig{
		Type: n.at("type").string(), Source: n.at("source").string(), Target: n.at("target").string(), ReadOnly: n.at("read_only").bool(),
	}
	if n.kind == scalar {
		var err error
		if v, err = format.ParseVolume(n.text); err != nil {
			return nil, because("is no volume", "traits: storage")
		}
	}
	name := v.Source
	switch {
	case v.Type == "bind" || strings.ContainsAny(name, "/.~\\"):
		return nil, because("reads a directory of the host", "a component of type config for files, traits: storage for data")
	case v.Type == "tmpfs" || name == "":
		name = "scratch" + strconv.Itoa(len(s.volumes))
		s.volumes[name] = &volume{doc: doc{"type": "ephemeral"}}
	case v.Type != "volume" && v.Type != "":
		return nil, because("is of a kind that no storage has", "traits: storage")
	}
	err := keeping(s.mount(name, v.Target, "", v.ReadOnly), n)
	if err == nil && s.volumes[name].doc["type"] == "persistent" {
		s.note("%s: nothing says how large its volume %s is; 1Gi is written", s.c.name, dnsName(name))
	}
	return nil, err
}

// tmpfs takes directories in memory as ones that end with the container.
func (composeFile) tmpfs(s *scope, n *node) (any, error) {
	for i, e := range n.elements() {
		path, options, _ := strings.Cut(e.text, ":")
		v := doc{"type": "ephemeral"}
		if size, ok := strings.CutPrefix(options, "size="); ok {
			if said, err := compose.bytes(s, &node{text: size}); err == nil {
				v["size"], v["memory"], options = said, true, ""
			}
		}
		name := "tmp" + strconv.Itoa(i)
		s.volumes[name] = &volume{doc: v}
		if err := s.mount(name, path, "", false); err != nil || options != "" {
			s.lose(e, because("has options that no storage has", "traits: storage with type ephemeral"))
			continue
		}
		mark(kept, e)
	}
	return nil, nil
}

// shared takes the memory that processes of a container share: a directory in memory.
func (composeFile) shared(s *scope, n *node) (any, error) {
	size, err := compose.bytes(s, n)
	if err != nil {
		return nil, err
	}
	return nil, s.store(doc{"name": "shm", "type": "ephemeral", "mountPath": "/dev/shm", "size": size, "memory": true})
}

// file takes a config or a secret that a service mounts.
func (composeFile) file(s *scope, n *node) (any, error) {
	name, target := n.text, ""
	if n.kind == mapping {
		name, target = n.at("source").string(), n.at("target").string()
	}
	entry := doc{"name": dnsName(name), "type": "config", "source": s.configs[name], "subPath": "content", "readOnly": true}
	target = cmp.Or(target, "/"+name)
	switch secret := n.up.name == "secrets"; {
	case secret && !objectPattern.MatchString(name):
		return nil, because("names no Secret", "")
	case secret:
		s.keep(name)
		target = "/run/secrets/" + name
		entry = doc{"name": dnsName(name), "type": "secret", "source": doc{"existing": name}, "readOnly": true}
	case s.configs[name] == "":
		return nil, because("names a config that is not in the file", "a component of type config, and its name")
	}
	entry["mountPath"] = target
	if err := s.store(entry); err != nil || !mountable(target) {
		return nil, because("is mounted at no path of its own", "traits: storage")
	}
	mark(kept, n)
	return nil, nil
}

// healthcheck takes a health check as one of readiness: Compose starts nothing anew because of it.
func (composeFile) healthcheck(s *scope, n *node) (any, error) {
	if n.at("disable").bool() {
		return nil, nil
	}
	p := s.part()
	test := n.at("test")
	if test.null() {
		return nil, because("does not say what it asks", "traits: probes")
	}
	words, _ := to.texts(s, test)
	list, _ := words.([]any)
	switch {
	case len(list) == 0:
		return nil, because("does not say what it asks", "traits: probes")
	case test.kind == scalar:
		list = []any{"sh", "-c", test.text}
	case list[0] == "NONE":
		return nil, nil
	case list[0] == "CMD-SHELL" && len(list) == 2:
		list = []any{"sh", "-c", list[1]}
	case list[0] == "CMD" && len(list) > 1:
		list = list[1:]
	default:
		return nil, because("is neither CMD nor CMD-SHELL", "traits: probes")
	}
	p.d.set("exec.command", list)
	mark(kept, test)
	p.take(n, []row{
		{"interval", "period", compose.duration},
		{"timeout", "timeout", compose.duration},
		{"start_period", "initialDelay", compose.duration},
		{"retries", "failureThreshold", whole(1, 1_000_000)},
	})
	return p.d, nil
}

func (composeFile) grace(s *scope, n *node) (any, error) {
	v, err := compose.duration(s, n)
	text, _ := v.(string)
	if err != nil || text == "" {
		return nil, because("is no duration", "lifecycle: grace")
	}
	return pod.grace(s, &node{text: strings.TrimSuffix(text, "s"), tag: "!!int"})
}

// duration takes a duration in whole seconds, which is what a probe counts.
func (composeFile) duration(_ *scope, n *node) (any, error) {
	var d types.Duration
	if len(n.string()) > 40 {
		return nil, because("is no duration", "")
	}
	if err := d.DecodeMapstructure(n.string()); err != nil || d < 0 || time.Duration(d) > 999_999*time.Second {
		return nil, because("is no duration", "")
	}
	seconds := (time.Duration(d) + time.Second - 1) / time.Second
	if seconds == 0 {
		return nil, nil
	}
	return strconv.FormatInt(int64(seconds), 10) + "s", nil
}

package importing

import (
	"cmp"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/compose-spec/compose-go/v2/format"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/mattn/go-shellwords"
)

// shellWords takes a command apart, and runs nothing of it.
func shellWords(text string) ([]string, error) {
	parser := shellwords.NewParser()
	parser.ParseEnv, parser.ParseBacktick = false, false
	return parser.Parse(text)
}

// volumes takes named volumes; directories of a host are of that host.
func (composeFile) volumes(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		v := types.ServiceVolumeConfig{
			Type: e.at("type").string(), Source: e.at("source").string(), Target: e.at("target").string(), ReadOnly: e.at("read_only").bool(),
		}
		if e.kind == scalar {
			var err error
			if v, err = format.ParseVolume(e.text); err != nil {
				s.lose(e, because("is no volume", "traits: storage"))
				continue
			}
		}
		name := v.Source
		var err error
		switch {
		case v.Type == "bind" || strings.ContainsAny(name, "/.~\\"):
			err = because("reads a directory of the host", "a component of type config for files, traits: storage for data")
		case v.Type == "tmpfs" || name == "":
			name = "scratch" + strconv.Itoa(len(s.volumes))
			s.volumes[name] = &volume{doc: doc{"type": "ephemeral"}}
		case v.Type != "volume" && v.Type != "":
			err = because("is of a kind that no storage has", "traits: storage")
		}
		if err == nil {
			err = s.mount(name, v.Target, "", v.ReadOnly)
		}
		if err != nil {
			s.lose(e, err)
			continue
		}
		mark(kept, e)
		if s.volumes[name].doc["type"] == "persistent" {
			s.note("%s: nothing says how large its volume %s is; 1Gi is written", s.c.name, dnsName(name))
		}
	}
	return nil, nil
}

// tmpfs takes directories in memory as ones that end with the container.
func (composeFile) tmpfs(s *scope, n *node) (any, error) {
	list := n.items()
	if n.kind == scalar {
		list = []*node{n}
	}
	for i, e := range list {
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

// files takes configs and secrets that a service mounts.
func (composeFile) files(s *scope, n *node) (any, error) {
	secret := n.name == "secrets"
	for _, e := range n.items() {
		name, target := e.text, ""
		if e.kind == mapping {
			name, target = e.at("source").string(), e.at("target").string()
		}
		v := &volume{doc: doc{"type": "config", "source": s.configs[name]}}
		target = cmp.Or(target, "/"+name)
		if secret {
			v.doc["type"], v.doc["source"] = "secret", doc{"existing": name}
			target = "/run/secrets/" + name
			s.keep(name)
		} else if s.configs[name] == "" {
			s.lose(e, because("names a config that is not in the file", "a component of type config, and its name"))
			continue
		} else {
			v.doc["subPath"] = "content"
		}
		if secret && !objectPattern.MatchString(name) {
			s.lose(e, because("names no Secret", ""))
			continue
		}
		s.volumes[n.name+"/"+name] = v
		entry := doc{"name": dnsName(name), "mountPath": target, "readOnly": true}
		maps.Copy(entry, v.doc)
		if err := s.store(entry); err != nil || !mountable(target) {
			s.lose(e, because("is mounted at no path of its own", "traits: storage"))
			continue
		}
		mark(kept, e)
	}
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

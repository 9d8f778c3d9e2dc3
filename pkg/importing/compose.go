package importing

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/compose-spec/compose-go/v2/template"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/docker/go-units"
	"github.com/mattn/go-shellwords"
)

// composeFile reads projects of Docker Compose.
type composeFile struct{}

var compose composeFile

// maxText limits a text in which variables are put.
const maxText = 64 << 10

// read reads a project of Docker Compose: each service is a component. No other file is read.
func (composeFile) read(t *translation, docs []*node) error {
	if len(docs) != 1 {
		return errors.New("has several documents, and a project of Compose is one")
	}
	d := docs[0]
	compose.interpolate(t, d)
	extensions(d)
	mark(kept, d.at("version"))
	t.called(d.at("name"))
	t.app.name = cmp.Or(t.app.name, dnsName(baseName(t.file)))
	compose.configs(t, d.at("configs"))
	for _, k := range d.at("secrets").fields() {
		t.keep(k.name)
		mark(withheld, k.node)
	}
	made := map[*node]*component{}
	for _, k := range d.at("services").fields() {
		c := t.component(k.name, "worker")
		made[k.node] = c
		for _, name := range []*node{{text: k.name}, k.node.at("container_name"), k.node.at("hostname")} {
			t.use(name.string(), c.name)
		}
	}
	for _, k := range d.at("services").fields() {
		compose.service(t, k.node, made[k.node], d)
	}
	for _, k := range d.at("volumes").fields() {
		mark(kept, k.node.at("driver"), k.node.at("name"))
	}
	return nil
}

// extensions are for other tools.
func extensions(n *node) {
	for _, k := range n.fields() {
		if strings.HasPrefix(k.name, "x-") {
			mark(ignored, k.node)
			continue
		}
		extensions(k.node)
	}
	for _, e := range n.items() {
		extensions(e)
	}
}

// interpolate puts defaults in the place of variables of the environment. Without a default a text is lost:
// what was in somebody's environment nobody knows.
func (composeFile) interpolate(t *translation, d *node) {
	d.leaves(func(s *node) {
		if !strings.Contains(s.text, "$") || len(s.text) > maxText {
			return
		}
		missing := ""
		text, err := template.SubstituteWithOptions(s.text, func(name string) (string, bool) {
			missing = name
			return "", false
		}, template.WithoutLogging)
		if err != nil || missing != "" && !strings.Contains(s.text, "-") {
			t.lose(s, because("takes a value from the environment of whoever starts it", "the value, or secret: existing if nobody may read it"))
			text, s.tag = "", "!!null"
		} else if missing != "" {
			t.note("line %d: the default is written in the place of the variable %s", s.line, missing)
		}
		s.text = text
	})
}

func (composeFile) configs(t *translation, n *node) {
	for _, k := range n.fields() {
		content := k.node.at("content")
		if content.null() {
			t.lose(k.node, because("has its content in a file that was not read", "a component of type config with the content"))
			continue
		}
		c := t.component(k.name, "config")
		t.configs[k.name] = c.name
		c.doc.set("properties.data", doc{"content": content.text})
		mark(kept, content)
	}
}

// composeRows are the fields of a service. Ports come first: others name them.
var composeRows = []row{
	{"ports", "", each(compose.port)},
	{"expose", "", each(compose.port)},
	{"image", "properties.image", to.image},
	{"entrypoint", "properties.command", compose.command},
	{"command", "properties.args", compose.command},
	{"environment", "properties.env", paired(compose.environment)},
	{"labels", "properties.annotations", paired(to.annotations)},
	{"healthcheck", "traits.probes.readiness", compose.healthcheck},
	{"user", "", compose.user},
	{"read_only", "traits.security.readOnlyRoot", to.boolean},
	{"cap_add", "traits.security.capabilities", each(to.capability)},
	{"scale", "replicas", whole(1, 1_000_000)},
	{"deploy.replicas", "replicas", whole(1, 1_000_000)},
	{"deploy.mode", "", always("replicas are a number, or one on each node with type daemon", "replicated", "global")},
	{"deploy.resources.reservations.cpus", "resources.requests.cpu", asCPU},
	{"deploy.resources.reservations.memory", "resources.requests.memory", compose.bytes},
	{"deploy.resources.limits.cpus", "resources.limits.cpu", asCPU},
	{"deploy.resources.limits.memory", "resources.limits.memory", compose.bytes},
	{"cpus", "resources.limits.cpu", asCPU},
	{"mem_limit", "resources.limits.memory", compose.bytes},
	{"mem_reservation", "resources.requests.memory", compose.bytes},
	{"volumes", "", each(compose.volume)},
	{"tmpfs", "", compose.tmpfs},
	{"shm_size", "", compose.shared},
	{"runtime", "properties.runtimeClass", compose.runtime},
	{"hostname", "traits.pod.hostname", to.name},
	{"dns", "traits.pod.dnsConfig.nameservers", pod.addresses},
	{"dns_search", "traits.pod.dnsConfig.searches", to.texts},
	{"configs", "", each(compose.file)},
	{"secrets", "", each(compose.file)},
	{"stop_grace_period", "", compose.grace},
	{"depends_on", "dependsOn", compose.dependsOn},
	{"restart", "", always("what runs once is a component of type job", "always", "unless-stopped", "on-failure", "no")},
	{"pull_policy", "", always("the runtime pulls an image that a node does not have", "missing", "if_not_present")},
	{"extra_hosts", "traits.hostAliases", each(compose.host)},
	{"privileged", "", always("policy does not allow privileged containers", "false")},
	{"cap_drop", "", always("the Pod Security Standard of the tenant says what containers drop", "ALL")},
}

// composePlaces are fields of a service that the trait pod has.
var composePlaces = []row{
	{"working_dir", "workingDir", matching(mountPattern, "is no directory")}, {"tty", "tty", to.boolean}, {"stdin_open", "stdin", to.boolean},
}

// runtime takes a runtime of the engine as the class of that name, which a cluster has for the same programs.
func (composeFile) runtime(s *scope, n *node) (any, error) {
	if n.string() == "runc" { // as without a word
		return nil, nil
	}
	return pod.runtimeClass(s, n)
}

func (composeFile) service(t *translation, n *node, c *component, project *node) {
	s := t.scope(c)
	for _, k := range project.at("volumes").fields() {
		v := &volume{doc: doc{"type": "persistent", "size": "1Gi"}}
		if k.node.at("external").bool() {
			v.err = because("names a volume that is there already", "traits: storage with type claim, where the cluster has one with its data")
		}
		s.volumes[k.name] = v
	}
	if _, has := c.doc.get("properties.ports").([]any); !has && (n.at("ports") != nil || n.at("expose") != nil) {
		c.doc["type"] = "webservice"
	}
	if n.at("deploy.mode").string() == "global" {
		c.doc["type"] = "daemon"
	}
	if restart := n.at("restart").string(); (restart == "no" || restart == "on-failure") && n.at("ports") == nil {
		c.doc["type"] = "job"
	}
	s.take(n, composeRows)
	pod.shape(s, n, composePlaces, "containers", c.name)
	if c.doc.get("properties.image") == nil {
		why := because("has no image", "properties: image")
		if n.at("build") != nil {
			why = because("has no image but a directory to build one of", "an image that is built and pushed before")
		}
		t.lose(n, why)
		t.drop(c)
	}
}

func (composeFile) port(s *scope, n *node) (any, error) {
	if n.kind == mapping {
		s.port(n, n.at("target"), n.at("name"), n.at("protocol"))
		if published := n.at("published"); published.string() == n.at("target").string() {
			mark(kept, published)
		} else {
			s.lose(published, because("no port of a host is taken", "traits: ingress"))
		}
		mark(kept, n.at("mode"))
		return nil, nil
	}
	text, protocol, _ := strings.Cut(n.string(), "/")
	parts := strings.Split(text, ":")
	if len(text) > 200 || strings.Contains(parts[len(parts)-1], "-") {
		return nil, because("is a range of ports", "properties: ports, one by one")
	}
	if protocol != "" {
		protocol = "/" + protocol
	}
	// The port of the container; the one of the host is taken from nobody.
	ports, err := types.ParsePortConfig(parts[len(parts)-1] + protocol)
	if err != nil || len(ports) != 1 || ports[0].Target < 1 || ports[0].Target > 65535 {
		return nil, because("is no port", "properties: ports")
	}
	p := doc{"port": int64(ports[0].Target)}
	switch ports[0].Protocol {
	case "", "tcp":
	case "udp":
		p["protocol"] = "UDP"
	default:
		return nil, because("a protocol is TCP or UDP", "")
	}
	s.addPort(p)
	mark(kept, n)
	if len(parts) > 1 && parts[len(parts)-2] != parts[len(parts)-1] {
		s.note("%s: port %d is not taken of a host; traits: ingress leads to it from outside", s.c.name, ports[0].Target)
	}
	return nil, nil
}

// command takes a list of words, or a text in the form of a shell.
func (composeFile) command(s *scope, n *node) (any, error) {
	if n.kind != scalar {
		return to.texts(s, n)
	}
	if len(n.text) > maxText {
		return nil, because("is too long", "")
	}
	parser := shellwords.NewParser() // which runs nothing
	parser.ParseEnv, parser.ParseBacktick = false, false
	words, err := parser.Parse(n.text)
	if err != nil {
		return nil, because("is no command that can be taken apart into words", "a list of words")
	}
	list := make([]any, len(words))
	for i, w := range words {
		list[i] = w
	}
	return list, nil
}

// environment takes variables that have values.
func (composeFile) environment(s *scope, n *node) (any, error) {
	n.keys = slices.DeleteFunc(n.keys, func(k key) bool {
		if k.node.null() {
			s.lose(k.node, because("takes a value from the environment of whoever starts it", "the value, or secret: existing if nobody may read it"))
		}
		return k.node.null()
	})
	return pod.variables(s, n)
}

// paired takes a mapping, or a list of name=value, as a mapping.
func paired(as taking) taking {
	return func(s *scope, n *node) (any, error) {
		fields := pairs(n)
		v, err := as(s, &node{kind: mapping, keys: slices.Clone(fields)})
		adopt(n, fields)
		return v, err
	}
}

// pairs returns the fields of a mapping, or those that a list of name=value stands for.
func pairs(n *node) (fields []key) {
	fields = slices.Clone(n.fields())
	for _, e := range n.items() {
		name, value, has := strings.Cut(e.text, "=")
		item := &node{up: e, line: e.line, text: value, tag: "!!str", fate: e.fate}
		if !has {
			item.tag = "!!null"
		}
		fields = append(fields, key{name, item})
	}
	return fields
}

// adopt gives the elements of a list the fates of the fields that they stand for.
func adopt(n *node, fields []key) {
	for _, e := range n.items() {
		for _, k := range fields {
			if k.node.up == e && e.fate == untouched {
				e.fate = k.node.fate
			}
		}
	}
}

// bytes takes an amount of memory as Docker writes it: 512m, 1g, 64MB.
func (composeFile) bytes(_ *scope, n *node) (any, error) {
	bytes, err := units.RAMInBytes(n.string())
	if err != nil || bytes <= 0 || bytes > 1<<50 {
		return nil, because("is no amount of memory", "resources")
	}
	for _, unit := range []struct {
		size int64
		name string
	}{{1 << 30, "Gi"}, {1 << 20, "Mi"}, {1 << 10, "Ki"}} {
		if bytes%unit.size == 0 && bytes/unit.size < 1_000_000 {
			return fmt.Sprintf("%d%s", bytes/unit.size, unit.name), nil
		}
	}
	return fmt.Sprint(bytes), nil
}

// user takes the numbers of a user and a group.
func (composeFile) user(s *scope, n *node) (any, error) {
	user, group, both := strings.Cut(n.string(), ":")
	for name, text := range map[string]string{"user": user, "group": group} {
		if name == "group" && !both {
			continue
		}
		v, err := whole(0, 1<<31-1)(s, &node{text: text, tag: "!!int"})
		if err != nil {
			return nil, because("is no number of a user", "traits: security: user")
		}
		s.d.set("traits.security."+name, v)
	}
	return nil, nil
}

// dependsOn takes the components that come before.
func (composeFile) dependsOn(s *scope, n *node) (any, error) {
	var list []any
	add := func(service string, keep ...*node) {
		if name := s.hosts[service]; name != "" {
			list = append(list, name)
			mark(kept, keep...)
		}
	}
	for _, e := range n.items() {
		add(e.text, e)
	}
	for _, k := range n.fields() {
		add(k.name, k.node.at("condition"), k.node.at("required"))
	}
	return some(list), nil
}

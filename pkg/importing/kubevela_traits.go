package importing

import (
	"cmp"
	"slices"
)

// velaTraits are the traits of KubeVela that can be said: what their properties become.
var velaTraits = map[string][]row{
	"scaler":          {{"replicas", "replicas", whole(1, 1_000_000)}},
	"cpuscaler":       {{"min", "traits.autoscale.min", whole(1, 1_000_000)}, {"max", "traits.autoscale.max", whole(1, 1_000_000)}, {"cpuUtil", "traits.autoscale.cpu", whole(1, 100)}, {"cpuPercent", "traits.autoscale.cpu", whole(1, 100)}},
	"rollout":         {{"targetSize", "replicas", whole(1, 1_000_000)}, {"rolloutBatches", "", rollout.batches}},
	"labels":          {{"", "properties.labels", to.labels}},
	"annotations":     {{"", "properties.annotations", to.annotations}},
	"expose":          {{"port", "", kubevela.exposed}, {"http", "", kubevela.served}, {"type", "", to.serviceType}},
	"affinity":        {{"", "", velaAffinity}, {"tolerations", "traits.tolerations", pod.tolerations}},
	"istio-gateway":   {{"", "", route.istio}},
	"canary-traffic":  {{"port", "", kubevela.exposed}},
	"env":             {{"containers", "", several.containers}, {"env", "properties.env", pod.variables}},
	"command":         {{"containers", "", several.containers}, {"command", "properties.command", to.texts}, {"args", "properties.args", to.texts}},
	"container-image": {{"containers", "", several.containers}, {"image", "properties.image", to.image}, {"imagePullPolicy", "traits.imagePull", pullPolicy}},
	"resource": {
		{"cpu", "", velaAmount("cpu", asCPU)}, {"memory", "", velaAmount("memory", asMemory)},
		{"requests", "resources.requests", to.resources}, {"limits", "resources.limits", to.resources},
	},
	"ingress": {{"", "", kubevela.ingress}}, "ingress-1-20": {{"", "", kubevela.ingress}}, "gateway": {{"", "", kubevela.ingress}}, "pure-ingress": {{"", "", kubevela.ingress}},
	"sidecar":        {{"", "", kubevela.sidecar}},
	"init-container": {{"", "", kubevela.initial}},
	"storage":        {{"", "", kubevela.storage}},
	"volumes":        {},
	"pvc":            {{"", "", kubevela.claimed}},
	"startup-probe":  {{"", "", several.startup}},
	"lifecycle":      {{"postStart", "traits.lifecycle.postStart", to.hook}, {"preStop", "traits.lifecycle.preStop", to.hook}},
	"securitycontext": {
		{"runAsUser", "traits.security.user", whole(0, 1<<31-1)}, {"runAsGroup", "traits.security.group", whole(0, 1<<31-1)}, {"runAsNonRoot", "traits.security.nonRoot", pod.nonRoot},
		{"readOnlyRootFilesystem", "traits.security.readOnlyRoot", to.boolean}, {"addCapabilities", "traits.security.capabilities", to.capabilities},
		{"dropCapabilities", "", always("the Pod Security Standard of the tenant says what containers drop", "ALL", "all", "NET_RAW")},
		{"privileged", "", always("policy does not allow privileged containers", "false")}, {"allowPrivilegeEscalation", "", always("no container gains rights", "false")},
	},
	"podsecuritycontext": {
		{"runAsUser", "traits.security.user", whole(0, 1<<31-1)}, {"runAsGroup", "traits.security.group", whole(0, 1<<31-1)}, {"fsGroup", "traits.security.volumeGroup", whole(0, 1<<31-1)},
		{"runAsNonRoot", "traits.security.nonRoot", pod.nonRoot}, {"supplementalGroups", "traits.security.groups", pod.groups},
		{"seccompProfile.type", "", always("every container has the profile of its runtime", "RuntimeDefault")},
	},
	"k8s-update-strategy": {
		{"targetAPIVersion", "", always("is the workload of the component", "apps/v1")}, {"targetKind", "", always("is the workload of the component", "Deployment", "StatefulSet", "DaemonSet")},
		{"strategy", "", updates("rollingStrategy")},
	},
	"topologyspreadconstraints": {{"constraints", "", spread}},
	"container-ports":           {{"ports", "", pod.containerPorts}, {"containers", "", several.ports}},
	"service-account":           {{"annotations", "properties.serviceAccount.annotations", to.annotations}, {"privileges", "traits.rights", rbac.privileges}, {"name", "", to.text}, {"create", "", always("a component has an account of its own", "true")}},
	"hostalias":                 {{"hostAliases", "traits.hostAliases", pod.hostAliases}},
	"hpa":                       velaScaling,
	"json-patch":                {{"operations", "", patch.operations}},
	"json-merge-patch":          {{"", "", patch.merged}},
	"nocalhost":                 {{"", "", develop.annotate}},
	"service-binding":           {{"envMappings", "", kubevela.binding}},
}

func (vela) trait(s *scope, n *node) {
	kind := n.at("type").string()
	rows, known := velaTraits[kind]
	if !known && s.defined.has(definesTrait, kind) {
		s.defined.trait(s, n)
		return
	}
	if !known {
		err := reasonFor(kind)
		if _, told := reasons[kind]; !told {
			err = because("is a trait that KubeVela's platform defined", "a trait that the platform defines (definitions: traits)")
		}
		s.lose(n, err)
		return
	}
	properties := n.at("properties")
	for _, r := range rows {
		if r.from != "" {
			s.take(properties, []row{r})
			continue
		}
		s.take(&node{kind: mapping, keys: []key{{"all", properties}}}, []row{{"all", r.to, r.as}})
	}
	some := false
	properties.leaves(func(l *node) { some = some || l.fate == kept || l.fate == withheld })
	if some {
		mark(kept, n.at("type"))
	}
	if kind == "cpuscaler" && s.d.get("traits.autoscale") != nil {
		a := s.d.get("traits.autoscale").(doc)
		for name, least := range map[string]int64{"min": 1, "max": 10, "cpu": 50} { // as KubeVela without a word
			if a[name] == nil {
				a[name] = least
			}
		}
	}
}

// persistent reports whether the component has a persistent volume.
func (s *scope) persistent() bool {
	storage, _ := s.c.doc.get("traits.storage").([]any)
	return slices.ContainsFunc(storage, func(e any) bool { return e.(doc)["type"] == "persistent" })
}

// unscaled takes autoscaling, and ways in from outside, from a component with a persistent volume: each replica has its own, so their number is chosen.
func unscaled(s *scope, n *node) {
	if s.persistent() && s.c.doc.get("traits.service") != nil {
		delete(s.c.doc.sub("traits"), "service")
		s.lose(n.at("properties.exposeType"), because("each replica of a store has a name of its own, and no entrance from outside", "traits: ingress"))
		for _, trait := range n.at("traits").items() {
			if trait.at("type").string() == "expose" {
				s.lose(trait.at("properties.type"), because("each replica of a store has a name of its own, and no entrance from outside", "traits: ingress"))
			}
		}
	}
	if !s.persistent() || s.c.doc.get("traits.autoscale") == nil {
		return
	}
	delete(s.c.doc.sub("traits"), "autoscale")
	for _, trait := range n.at("traits").items() {
		if kind := trait.at("type").string(); kind == "cpuscaler" || kind == "hpa" {
			s.lose(trait, because("replicas with volumes of their own do not follow the load", "replicas"))
		}
	}
}

func (vela) ports(s *scope, n *node) (any, error) {
	for _, e := range n.items() {
		p := s.port(doc{}, e, e.at("port"), e.at("name"), e.at("protocol"))
		if p == nil {
			continue
		}
		mark(kept, e.at("expose"))
		if !e.at("expose").bool() {
			p["expose"] = false // as KubeVela without a word
		}
	}
	return nil, nil
}

func (vela) port(s *scope, n *node) (any, error) {
	s.port(doc{}, n, n, nil, nil)
	return nil, nil
}

// exposed makes ports reachable.
func (vela) exposed(s *scope, n *node) (any, error) {
	list := n.items()
	if n.kind == scalar {
		list = []*node{n}
	}
	for _, e := range list {
		if p := s.port(doc{}, e, e, nil, nil); p != nil {
			delete(p, "expose")
		}
	}
	return nil, nil
}

// served makes ports reachable that have names of Services in the file.
func (vela) served(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		if p := s.port(doc{}, k.node, k.node, nil, nil); p != nil {
			delete(p, "expose")
			s.note("%s: is reached as %s, not as %s", s.c.name, s.objectName(s.c.name), k.name)
		}
	}
	return nil, nil
}

// velaAmount takes what is requested and the limit, too.
func velaAmount(name string, as func(*scope, *node) (any, error)) func(*scope, *node) (any, error) {
	return func(s *scope, n *node) (any, error) {
		v, err := as(s, n)
		if err == nil {
			s.c.doc.set("resources.requests."+name, v)
			if s.c.doc.get("resources.limits."+name) == nil {
				s.c.doc.set("resources.limits."+name, v)
			}
		}
		return nil, err
	}
}

func (vela) pullSecrets(s *scope, n *node) (any, error) {
	var list []any
	for _, e := range n.items() {
		if !objectPattern.MatchString(e.string()) {
			s.lose(e, because("names no Secret", ""))
			continue
		}
		s.keep(e.string())
		list = append(list, e.text)
		mark(kept, e)
	}
	return some(list), nil
}

func (vela) ingress(s *scope, n *node) (any, error) {
	for _, k := range n.at("http").fields() {
		port, err := to.port(s, k.node)
		var entry doc
		if err == nil {
			entry, err = s.entrance(n.at("domain").string(), port, k.name, n.at("pathType").string())
		}
		if err != nil {
			s.lose(k.node, err)
			continue
		}
		if class := n.at("class"); dnsName(class.string()) == class.string() && class.string() != "" {
			entry["className"] = class.string()
			mark(kept, class)
		}
		if secret := n.at("secretName"); objectPattern.MatchString(secret.string()) {
			entry["tls"] = secret.string()
			mark(kept, secret)
		}
		if p := s.addPort(doc{"port": port}); p != nil {
			delete(p, "expose")
		}
		s.d.add("traits.ingress", entry)
		mark(kept, n.at("domain"), n.at("pathType"), k.node)
	}
	return nil, nil
}

func (vela) sidecar(s *scope, n *node) (any, error) {
	return nil, kubevela.extra(s, n, "sidecars", "cmd")
}

func (vela) initial(s *scope, n *node) (any, error) {
	return nil, kubevela.extra(s, n, "init", "cmd")
}

func (vela) extra(s *scope, n *node, into, command string) error {
	part := s.part()
	part.take(n, []row{{"image", "image", to.image}, {command, "command", to.texts}, {"command", "command", to.texts}, {"args", "args", to.texts}, {"env", "env", pod.environment}})
	name := dnsName(n.at("name").string())
	if name == "" || part.d["image"] == nil {
		return because("is a container without a name or an image", "")
	}
	part.d["name"] = name
	mark(kept, n.at("name"))
	for _, m := range n.at("volumes").items() {
		name, path := m.at("name"), m.at("path")
		if s.volumes[name.string()] == nil {
			s.volumes[name.string()] = &volume{doc: doc{"type": "ephemeral"}}
		}
		if err := pod.mountBeside(s, part.d, name.string(), path.string(), "", false); err != nil {
			s.lose(m, err)
			continue
		}
		mark(kept, name, path)
	}
	if own := n.at("appMountPath"); into == "init" && !own.null() { // a directory that both have
		shared := cmp.Or(n.at("mountName").string(), "workdir")
		s.volumes[shared] = &volume{doc: doc{"type": "ephemeral"}}
		err := s.mount(shared, own.string(), "", false)
		if err == nil {
			err = pod.mountBeside(s, part.d, shared, n.at("initMountPath").string(), "", false)
		}
		if err == nil {
			mark(kept, own, n.at("mountName"), n.at("initMountPath"))
		}
	}
	s.c.doc.add("traits."+into, part.d)
	return nil
}

// binding takes variables with the values of Secrets.
func (vela) binding(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		name := cmp.Or(k.node.at("key").string(), k.name)
		v, err := s.secret(k.node.at("secret").string(), name)
		if err != nil || !variablePattern.MatchString(k.name) {
			s.lose(k.node, because("names no key of a Secret", ""))
			continue
		}
		s.d.sub("properties").sub("env")[k.name] = v
		mark(kept, k.node.at("secret"), k.node.at("key"))
	}
	return nil, nil
}

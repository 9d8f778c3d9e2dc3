package importing

import (
	"cmp"
	"slices"
)

// velaTraits are the traits of KubeVela that can be said: what their properties become.
var velaTraits = map[string][]row{
	"scaler":          {{"replicas", "replicas", whole(1, 1_000_000)}},
	"cpuscaler":       {{"min", "traits.autoscale.min", whole(1, 1_000_000)}, {"max", "traits.autoscale.max", whole(1, 1_000_000)}, {"cpuUtil", "traits.autoscale.cpu", whole(1, 100)}, {"cpuPercent", "traits.autoscale.cpu", whole(1, 100)}},
	"rollout":         {{"targetSize", "replicas", whole(1, 1_000_000)}, {"rolloutBatches", "", flow.batches}},
	"labels":          {{"", "properties.labels", to.labels}},
	"annotations":     {{"", "properties.annotations", to.annotations}},
	"expose":          {{"port", "", kubevela.exposed}, {"http", "", kubevela.served}, {"type", "", to.serviceType}},
	"affinity":        {{"", "", velaAffinity}, {"tolerations", "traits.tolerations", each(pod.toleration)}},
	"istio-gateway":   {{"", "", route.istio}},
	"canary-traffic":  {{"port", "", kubevela.exposed}},
	"env":             {{"containers", "", each(kubevela.container)}, {"env", "properties.env", pod.variables}},
	"command":         {{"containers", "", each(kubevela.container)}, {"command", "properties.command", to.texts}, {"args", "properties.args", to.texts}},
	"container-image": {{"containers", "", each(kubevela.container)}, {"image", "properties.image", to.image}, {"imagePullPolicy", "traits.imagePull", pullPolicy}},
	"resource": {
		{"cpu", "", velaAmount("cpu", asCPU)}, {"memory", "", velaAmount("memory", asMemory)},
		{"requests", "resources.requests", to.resources}, {"limits", "resources.limits", to.resources},
	},
	"ingress": {{"", "", kubevela.ingress}}, "ingress-1-20": {{"", "", kubevela.ingress}}, "gateway": {{"", "", kubevela.ingress}}, "pure-ingress": {{"", "", kubevela.ingress}},
	"sidecar":        {{"", "", kubevela.extra("sidecars")}},
	"init-container": {{"", "", kubevela.extra("init")}},
	"storage":        {{"", "", kubevela.storage}},
	"volumes":        {},
	"pvc":            {{"", "", kubevela.claimed}},
	"startup-probe":  {{"", "", kubevela.startup}},
	"lifecycle":      {{"postStart", "traits.lifecycle.postStart", to.hook}, {"preStop", "traits.lifecycle.preStop", to.hook}},
	"securitycontext": {
		{"runAsUser", "traits.security.user", whole(0, 1<<31-1)}, {"runAsGroup", "traits.security.group", whole(0, 1<<31-1)}, {"runAsNonRoot", "traits.security.nonRoot", pod.nonRoot},
		{"readOnlyRootFilesystem", "traits.security.readOnlyRoot", to.boolean}, {"addCapabilities", "traits.security.capabilities", each(to.capability)},
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
	"topologyspreadconstraints": {{"constraints", "", each(spread)}},
	"container-ports":           {{"ports", "", each(pod.containerPort)}, {"containers", "", each(kubevela.severalPorts)}},
	"service-account":           {{"annotations", "properties.serviceAccount.annotations", to.annotations}, {"privileges", "traits.rights", rbac.privileges}, {"name", "", to.text}, {"create", "", always("a component has an account of its own", "true")}},
	"hostalias":                 {{"hostAliases", "traits.hostAliases", each(pod.hostAlias)}},
	"hpa":                       velaScaling,
	"json-patch":                {{"operations", "", patch.operations}},
	"json-merge-patch":          {{"", "", patch.merged}},
	"nocalhost":                 {{"", "", kubevela.annotate}},
	"service-binding":           {{"envMappings", "properties.env", kubevela.binding}},
}

func (vela) trait(s *scope, n *node) {
	kind := n.at("type").string()
	rows, known := velaTraits[kind]
	_, told := reasons[kind]
	switch {
	case known:
		s.take(n.at("properties"), rows)
	case s.defined.has(definesTrait, kind):
		s.defined.trait(s, n)
	case told:
		s.lose(n, reasonFor(kind))
	default:
		s.lose(n, because("is a trait that KubeVela's platform defined", "a trait that the platform defines (definitions: traits)"))
	}
	n.at("properties").leaves(func(l *node) {
		if l.fate == kept || l.fate == withheld {
			mark(kept, n.at("type"))
		}
	})
	if a, ok := s.d.get("traits.autoscale").(doc); ok && kind == "cpuscaler" {
		for name, least := range map[string]int64{"min": 1, "max": 10, "cpu": 50} { // as KubeVela without a word
			a[name] = cmp.Or(a[name], any(least))
		}
	}
}

// persistent reports whether the component has a persistent volume.
func (s *scope) persistent() bool {
	return slices.ContainsFunc(s.c.doc.list("traits.storage"), func(e any) bool { return e.(doc)["type"] == "persistent" })
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

func (vela) port(s *scope, n *node) (any, error) {
	s.port(n, n, nil, nil)
	return nil, nil
}

// exposed makes ports reachable.
func (vela) exposed(s *scope, n *node) (any, error) {
	for _, e := range n.elements() {
		delete(s.port(e, e, nil, nil), "expose")
	}
	return nil, nil
}

// served makes ports reachable that have names of Services in the file.
func (vela) served(s *scope, n *node) (any, error) {
	for _, k := range n.fields() {
		if p := s.port(k.node, k.node, nil, nil); p != nil {
			delete(p, "expose")
			s.note("%s: is reached as %s, not as %s", s.c.name, s.objectName(s.c.name), k.name)
		}
	}
	return nil, nil
}

// velaAmount takes what is requested and the limit, too.
func velaAmount(name string, as taking) taking {
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

func (vela) ingress(s *scope, n *node) (any, error) {
	s.fields(n.at("http"), func(path string, v *node) (any, error) {
		port, err := to.port(s, v)
		if err != nil {
			return nil, err
		}
		entry, err := s.entrance(n.at("domain").string(), port, path, n.at("pathType").string())
		if err != nil {
			return nil, err
		}
		if class := n.at("class"); dnsName(class.string()) == class.string() && class.string() != "" {
			entry["className"] = class.string()
			mark(kept, class)
		}
		if secret := n.at("secretName"); objectPattern.MatchString(secret.string()) {
			entry["tls"] = secret.string()
			mark(kept, secret)
		}
		delete(s.addPort(doc{"port": port}), "expose")
		s.d.add("traits.ingress", entry)
		mark(kept, n.at("domain"), n.at("pathType"), v)
		return nil, nil
	})
	return nil, nil
}

// extra reads a container beside the component's own.
func (vela) extra(into string) taking {
	return func(s *scope, n *node) (any, error) {
		part := s.part()
		part.take(n, append([]row{{"cmd", "command", to.texts}}, program("", "", "env", pod.environment)...))
		name := dnsName(n.at("name").string())
		if name == "" || part.d["image"] == nil {
			return nil, because("is a container without a name or an image", "")
		}
		part.d["name"] = name
		mark(kept, n.at("name"))
		s.each(n.at("volumes").items(), func(s *scope, m *node) (any, error) {
			name, path := m.at("name"), m.at("path")
			if s.volumes[name.string()] == nil {
				s.volumes[name.string()] = &volume{doc: doc{"type": "ephemeral"}}
			}
			return nil, keeping(pod.mountBeside(s, part.d, name.string(), path.string(), "", false), name, path)
		})
		if own := n.at("appMountPath"); into == "init" && !own.null() { // a directory that both have
			shared := cmp.Or(n.at("mountName").string(), "workdir")
			s.volumes[shared] = &volume{doc: doc{"type": "ephemeral"}}
			err := s.mount(shared, own.string(), "", false)
			if err == nil {
				err = pod.mountBeside(s, part.d, shared, n.at("initMountPath").string(), "", false)
			}
			keeping(err, own, n.at("mountName"), n.at("initMountPath"))
		}
		s.c.doc.add("traits."+into, part.d)
		return nil, nil
	}
}

// binding takes variables with the values of Secrets.
func (vela) binding(s *scope, n *node) (any, error) {
	return s.fields(n, func(name string, from *node) (any, error) {
		v, err := s.secret(from.at("secret").string(), cmp.Or(from.at("key").string(), name))
		if err != nil || !variablePattern.MatchString(name) {
			return nil, because("names no key of a Secret", "")
		}
		mark(kept, from.at("secret"), from.at("key"))
		return v, nil
	}), nil
}

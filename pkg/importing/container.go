package importing

import (
	"regexp"
	"slices"
	"strings"
)

// pods reads the parts of a pod of Kubernetes, which other formats have, too.
type pods struct{}

var pod pods

// program are the fields of a container that say what it runs. Those of formats begin with from, those of the schema with into.
func program(from, into, variables string, as taking) []row {
	return []row{
		{from + "image", into + "image", to.image},
		{from + "command", into + "command", to.texts},
		{from + "args", into + "args", to.texts},
		{from + variables, into + "env", as},
	}
}

// amounts are the resources of a container.
var amounts = []row{{"resources.requests", "resources.requests", to.resources}, {"resources.limits", "resources.limits", to.resources}}

// probes are the probes of a container, which become those below into.
func probes(into string) []row {
	return []row{{"livenessProbe", into + ".liveness", to.probe}, {"readinessProbe", into + ".readiness", to.probe}, {"startupProbe", into + ".startup", to.probe}}
}

// mainRows are the fields of a container of Kubernetes that is the one of a component. Ports come first:
// others name them.
var mainRows = slices.Concat([]row{{"ports", "", each(pod.containerPort)}}, program("", "properties.", "env", pod.environment), amounts, probes("traits.probes"), []row{
	{"envFrom", "traits.envFrom", each(pod.envFrom)},
	{"lifecycle.postStart", "traits.lifecycle.postStart", to.hook},
	{"lifecycle.preStop", "traits.lifecycle.preStop", to.hook},
	{"securityContext.runAsUser", "traits.security.user", whole(0, 1<<31-1)},
	{"securityContext.runAsGroup", "traits.security.group", whole(0, 1<<31-1)},
	{"securityContext.readOnlyRootFilesystem", "traits.security.readOnlyRoot", to.boolean},
	{"securityContext.capabilities.add", "traits.security.capabilities", each(to.capability)},
	{"securityContext.capabilities.drop", "", always("the Pod Security Standard of the tenant says what containers drop", "ALL", "all", "NET_RAW")},
	{"securityContext.privileged", "", always("policy does not allow privileged containers", "false")},
	{"securityContext.allowPrivilegeEscalation", "", always("no container gains rights", "false")},
	{"securityContext.runAsNonRoot", "traits.security.nonRoot", pod.nonRoot},
	{"securityContext.seccompProfile.type", "", always("every container has the profile of its runtime", "RuntimeDefault")},
	{"imagePullPolicy", "traits.imagePull", pullPolicy},
	{"securityContext.windowsOptions", "properties.hostProcess", pod.hostProcess},
	{"name", "", to.text},
})

// pullPolicy is when a node pulls an image: never is not for images that nobody put there.
var pullPolicy = matching(regexp.MustCompile("^(Always|IfNotPresent)$"), "the runtime pulls an image that a node does not have")

// podRows are the fields of the spec of a pod.
var podRows = []row{
	{"securityContext.runAsUser", "traits.security.user", whole(0, 1<<31-1)},
	{"securityContext.runAsGroup", "traits.security.group", whole(0, 1<<31-1)},
	{"securityContext.fsGroup", "traits.security.volumeGroup", whole(0, 1<<31-1)},
	{"securityContext.runAsNonRoot", "traits.security.nonRoot", pod.nonRoot},
	{"securityContext.seccompProfile.type", "", always("every container has the profile of its runtime", "RuntimeDefault")},
	{"terminationGracePeriodSeconds", "", pod.grace},
	{"imagePullSecrets", "properties.pullSecrets", each(pullSecret("name"))},
	{"automountServiceAccountToken", "", always("pods run without rights on the API server", "false")},
	{"enableServiceLinks", "", always("pods have no variables of other services", "false")},
	{"os.name", "", pod.system},
	{"runtimeClassName", "properties.runtimeClass", pod.runtimeClass},
	{"securityContext.windowsOptions", "properties.hostProcess", pod.hostProcess},
	{"hostNetwork", "", pod.hostNetwork},
	{"hostPID", "", always("pods see only their own processes", "false")},
	{"hostIPC", "", always("pods have a memory of their own", "false")},
	{"hostname", "traits.pod.hostname", to.name},
	{"subdomain", "traits.pod.subdomain", to.name},
	{"setHostnameAsFQDN", "traits.pod.setHostnameAsFQDN", to.boolean},
	{"shareProcessNamespace", "traits.pod.shareProcessNamespace", to.boolean},
	{"dnsPolicy", "traits.pod.dnsPolicy", pod.dnsPolicy},
	{"dnsConfig", "traits.pod.dnsConfig", pod.dnsConfig},
	{"securityContext.supplementalGroups", "traits.security.groups", pod.groups},
	{"affinity", "", podAffinity},
	{"topologySpreadConstraints", "", each(spread)},
	{"nodeSelector", "", pod.nodeSelector},
	{"tolerations", "traits.tolerations", each(pod.toleration)},
	{"hostAliases", "traits.hostAliases", each(pod.hostAlias)},
}

// extraRows are the fields of a container beside the component's own.
var extraRows = append(program("", "", "env", pod.environment), []row{
	{"envFrom", "envFrom", each(pod.envFrom)},
	{"name", "", to.text},
	{"securityContext.runAsUser", "security.user", whole(0, 1<<31-1)},
	{"securityContext.runAsGroup", "security.group", whole(0, 1<<31-1)},
	{"securityContext.readOnlyRootFilesystem", "security.readOnlyRoot", to.boolean},
	{"securityContext.capabilities.add", "security.capabilities", each(to.capability)},
	{"restartPolicy", "", always("a container runs to its end, or is a sidecar", "Always")},
	{"imagePullPolicy", "", always("the runtime pulls an image that a node does not have", "IfNotPresent")},
	{"securityContext.privileged", "", always("policy does not allow privileged containers", "false")},
	{"securityContext.allowPrivilegeEscalation", "", always("no container gains rights", "false")},
	{"securityContext.runAsNonRoot", "", always("the Pod Security Standard of the tenant says who may be root", "true")},
	{"securityContext.seccompProfile.type", "", always("every container has the profile of its runtime", "RuntimeDefault")},
	{"securityContext.capabilities.drop", "", always("the Pod Security Standard of the tenant says what containers drop", "ALL", "all")},
}...)

// addExtra is a container beside the component's own.
func (pods) addExtra(s *scope, n *node, sidecar bool) {
	e := s.part()
	e.take(n, extraRows)
	name := dnsName(n.at("name").string())
	if e.d["image"] == nil || name == "" {
		s.lose(n, because("is a container without a name or an image", ""))
		return
	}
	e.d["name"] = name
	pod.mountAll(s, e.d, n)
	list := map[bool]string{true: "containers", false: "initContainers"}[sidecar]
	pod.shape(s, n, places, list, name)
	if !sidecar {
		s.c.doc.add("traits.init", e.d)
		return
	}
	e.take(n, append(probes("probes"), amounts...))
	if limits, ok := e.d.get("resources.limits").(doc); ok {
		delete(limits, "devices")
	}
	s.c.doc.add("traits.sidecars", e.d)
}

func (pods) containerPort(s *scope, n *node) (any, error) {
	s.port(n, n.at("containerPort"), n.at("name"), n.at("protocol"))
	return nil, nil
}

// port adds a port to the component, or finds it there.
func (s *scope) port(whole, number, name, protocol *node) doc {
	i, ok := number.number()
	if !ok || i < 1 || i > 65535 {
		s.lose(whole, because("is no port", "properties: ports"))
		return nil
	}
	p := doc{"port": i}
	if proto := strings.ToUpper(protocol.string()); proto == "UDP" {
		p["protocol"] = proto
	} else if proto != "" && proto != "TCP" {
		s.lose(whole, because("a protocol is TCP or UDP", ""))
		return nil
	}
	if portName.MatchString(name.string()) {
		p["name"] = name.string()
		mark(kept, name)
	}
	mark(kept, number, protocol)
	return s.addPort(p)
}

// ports takes ports, which others reach without a word or not.
func ports(reachable bool) taking {
	return each(func(s *scope, n *node) (any, error) {
		if p := s.port(n, n.at("port"), n.at("name"), n.at("protocol")); p != nil {
			mark(kept, n.at("expose"))
			if said := n.at("expose").string(); said == "false" || said != "true" && !reachable {
				p["expose"] = false
			}
		}
		return nil, nil
	})
}

// addPort adds a port, unless the component has it.
func (s *scope) addPort(p doc) doc {
	for _, have := range s.c.doc.list("properties.ports") {
		have := have.(doc)
		if have["port"] == p["port"] && have["protocol"] == p["protocol"] {
			return have
		}
		if p["name"] != nil && have["name"] == p["name"] {
			delete(p, "name")
		}
	}
	s.c.doc.add("properties.ports", p)
	return p
}

// grace takes the time that a stop may take, which is one for the whole application.
func (pods) grace(s *scope, n *node) (any, error) {
	seconds, ok := n.number()
	if !ok || seconds < 1 || seconds > 999_999 {
		return nil, because("is no number of seconds", "lifecycle: grace")
	}
	if s.app.grace != 0 && s.app.grace != seconds {
		s.note("components have different times to stop; the longest is that of the application")
	}
	s.app.grace = max(s.app.grace, seconds)
	return nil, nil
}

// pullSecret takes the name of a Secret to pull images with, which stands in a field.
func pullSecret(field string) taking {
	return func(s *scope, n *node) (any, error) {
		name := n.at(field)
		if !objectPattern.MatchString(name.string()) {
			return nil, because("names no Secret", "")
		}
		s.keep(name.string())
		mark(kept, name)
		return name.string(), nil
	}
}

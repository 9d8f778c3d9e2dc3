package render

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// meshHosts are those of a VirtualService or a ServiceEntry of Istio, which count in the whole
// mesh. Services of the own namespace are the tenant's; one of another namespace is not
// for it to name, so it counts as every host.
func meshHosts(object map[string]any, add func(host, path string)) {
	own := "." + word(below(object, "metadata")["namespace"]) + ".svc"
	for _, v := range items(below(object, "spec")["hosts"]) {
		host := strings.ToLower(strings.TrimSuffix(word(v), "."))
		short, full := strings.CutSuffix(strings.TrimSuffix(host, ".cluster.local"), own)
		switch {
		case validation.IsDNS1123Label(host) == nil || full && validation.IsDNS1123Label(short) == nil:
		case strings.Contains(host+".", ".svc."):
			add("", "")
		default:
			add(host, "")
		}
	}
}

// serverHosts are those of a Gateway of Istio, which may begin with a namespace.
func serverHosts(object map[string]any, add func(host, path string)) {
	for _, server := range elements(below(object, "spec")["servers"]) {
		for _, v := range items(server["hosts"]) {
			host := word(v)
			if _, behind, ok := strings.Cut(host, "/"); ok {
				host = behind
			}
			add(host, "")
		}
	}
}

// openShiftHost is that of a Route of OpenShift. Without one, the cluster makes up a name of
// its own, unless the Route says a part of it.
func openShiftHost(object map[string]any, add func(host, path string)) {
	spec := below(object, "spec")
	host := word(spec["host"])
	if word(spec["wildcardPolicy"]) == "Subdomain" {
		_, domain, _ := strings.Cut(host, ".")
		host = "*." + domain
	}
	if host != "" {
		add(host, pathOr(word(spec["path"])))
	}
	if word(spec["subdomain"]) != "" {
		add("", "")
	}
}

// proxyHost is that of an HTTPProxy of Contour. One without a virtualhost is a part of another.
func proxyHost(object map[string]any, add func(host, path string)) {
	if spec := below(object, "spec"); spec["virtualhost"] != nil {
		add(word(below(spec, "virtualhost")["fqdn"]), "")
	}
}

// domainHost is that of a DomainMapping of Knative: its name.
func domainHost(object map[string]any, add func(host, path string)) {
	add(word(below(object, "metadata")["name"]), "")
}

// endpointHosts are the names that a DNSEndpoint of external-dns publishes.
func endpointHosts(object map[string]any, add func(host, path string)) {
	for _, e := range elements(below(object, "spec")["endpoints"]) {
		add(word(e["dnsName"]), "")
	}
}

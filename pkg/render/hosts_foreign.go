package render

import (
	"cmp"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// meshHosts are those of a VirtualService or a ServiceEntry of Istio, which count in the whole
// mesh. Services of the own namespace are the tenant's; one of another namespace is not
// for it to name, so it counts as every host.
func meshHosts(object map[string]any, add func(host, path string)) {
	own := "." + declared.Word(declared.Below(object, "metadata")["namespace"]) + ".svc"
	for _, v := range declared.Items(declared.Below(object, "spec")["hosts"]) {
		host := strings.ToLower(strings.TrimSuffix(declared.Word(v), "."))
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
	for _, server := range declared.Elements(declared.Below(object, "spec")["servers"]) {
		for _, v := range declared.Items(server["hosts"]) {
			host := declared.Word(v)
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
	spec := declared.Below(object, "spec")
	host := declared.Word(spec["host"])
	if declared.Word(spec["wildcardPolicy"]) == "Subdomain" {
		_, domain, _ := strings.Cut(host, ".")
		host = "*." + domain
	}
	if host != "" {
		add(host, cmp.Or(declared.Word(spec["path"]), "/"))
	}
	if declared.Word(spec["subdomain"]) != "" {
		add("", "")
	}
}

// proxyHost is that of an HTTPProxy of Contour. One without a virtualhost is a part of another.
func proxyHost(object map[string]any, add func(host, path string)) {
	if spec := declared.Below(object, "spec"); spec["virtualhost"] != nil {
		add(declared.Word(declared.Below(spec, "virtualhost")["fqdn"]), "")
	}
}

// domainHost is that of a DomainMapping of Knative: its name.
func domainHost(object map[string]any, add func(host, path string)) {
	add(declared.Word(declared.Below(object, "metadata")["name"]), "")
}

package evaluate

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate/catalogue"
)

// All that is wrong in the highest wrong layer is said at once, and nothing of the
// layers below it, which would be its echo: without a valid tenant, acme's image is
// in no registry. Layers beside it speak for themselves.
func TestTheHighestWrongLayerSpeaks(t *testing.T) {
	platform := overlay("more.cue", "package fleet\n\nplatform: policy: {\n\tdefaults: {replicas: 51, priority: -1}\n\tpreemption: \"always\"\n}\n")
	tenant := overlay("tenants/acme/tenant.cue", "package fleet\n\ntenant: {\n\tname: \"acme\"\n\tweight: 0\n\tquota: applications: -1\n\tpolicy: images: registries: [\"docker.io\"]\n}\n")
	application := overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\napplication: {\n\tpriority: 801\n\tdesired: \"off\"\n\tcomponents: web: {replicas: 51, os: \"plan9\", properties: imgae: \"x\"}\n}\n")
	beside := overlay("tenants/globex/apps/api/more.cue", "package fleet\n\napplication: priority: \"high\"\n")

	const (
		applicationSays = `DA1201 application.priority: asks for 801, tenant acme allows priorities up to 800 (limits.priorityCeiling)
  tenants/acme/apps/shop/more.cue:4:12   asks for 801
  tenants/acme/tenant.cue:5:55           tenant.quota.priorityCeiling: 800
DA1202 application.desired: asks for "off", desired is running, suspended or terminated
  tenants/acme/apps/shop/more.cue:5:11   asks for "off"
DA1203 application.components.web.replicas: asks for 51, tenant acme allows at most 5 replicas (limits.maxReplicas)
  tenants/acme/apps/shop/more.cue:6:30   asks for 51
  tenants/acme/tenant.cue:7:24           tenant.policy.limits.maxReplicas: 5
DA1214 application.components.web.os: asks for "plan9", an operating system is linux or windows
  tenants/acme/apps/shop/more.cue:6:38   asks for "plan9"
DA1101 application.components.web.properties.imgae: no such field; did you mean image?
  tenants/acme/apps/shop/more.cue:6:59
`
		tenantSays = `DA1351 tenant.weight: asks for 0, the weight of a tenant is written in platform.allotments; "reconciler migrate allotments" moves it
  tenants/acme/tenant.cue:5:10   asks for 0
DA1405 tenant.quota.applications: asks for -1, a count is a whole number from 0 to 1000000
  tenants/acme/tenant.cue:6:23   asks for -1
DA1304 tenant.policy.images.registries.0: asks for "docker.io", the platform allows ghcr.io/acme, registry.example.com (images.registries)
  tenants/acme/tenant.cue:7:31   asks for "docker.io"
  fleet.cue:11:23                platform.policy.images.registries: ["ghcr.io/acme", "registry.example.com"]
`
		besideSays = `DA1104 application.priority: conflicting values "high" and number (mismatched types string and number)
  tenants/globex/apps/api/more.cue:3:24   "high"
`
		platformSays = `DA1104 platform.policy.preemption: conflicting values "always" and "within-tenant"
  fleet.cue:16:15   "within-tenant"
  more.cue:5:14     "always"
DA1315 platform.policy.defaults.replicas: asks for 51, the platform allows at most 50 replicas (limits.maxReplicas)
  more.cue:4:23     asks for 51
  fleet.cue:10:25   platform.policy.limits.maxReplicas: 50
DA1316 platform.policy.defaults.priority: asks for -1, the platform allows priorities up to 1000 (limits.priorityCeiling)
  more.cue:4:37     asks for -1
  fleet.cue:10:46   platform.policy.limits.priorityCeiling: 1000
`
	)
	for _, c := range []struct {
		name    string
		files   []*txtar.Archive
		says    string
		unwell  []string // tenants
		notUsed int      // applications
	}{
		{"an application", []*txtar.Archive{application}, applicationSays, nil, 1},
		{"and one beside it", []*txtar.Archive{application, beside}, applicationSays + besideSays, nil, 2},
		{"a tenant", []*txtar.Archive{tenant, application}, tenantSays, []string{"acme"}, 2},
		{"and an application beside it", []*txtar.Archive{tenant, application, beside}, tenantSays + besideSays, []string{"acme"}, 3},
		{"the platform", []*txtar.Archive{platform, tenant, application, beside}, platformSays, []string{"acme", "globex"}, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := New().Fleet("c", unpack(append([]*txtar.Archive{threeApplications(t)}, c.files...)...), nil)
			require.Equal(t, c.says, report(f))
			require.Equal(t, c.unwell, f.UnusableTenants)
			require.Len(t, f.Unusable, c.notUsed)
			require.Len(t, f.Applications, 3-c.notUsed)
		})
	}
}

// A field that does not exist names the one that was meant, at every depth of every
// layer, and none where nothing is near.
func TestDidYouMean(t *testing.T) {
	for line, meant := range map[string]string{
		"more.cue: platform: {polciy: {}}":                                                           "platform.polciy policy",
		"more.cue: platform: policy: limits: maxReplcas: 1":                                          "platform.policy.limits.maxReplcas maxReplicas",
		"more.cue: platform: pools: general: topology: \"x\"":                                        "platform.pools.general.topology ",
		"tenants/acme/more.cue: tenant: borow: cpu: \"2\"":                                           "tenant.borow borrow",
		"tenants/acme/more.cue: tenant: quota: wrkloads: 1":                                          "tenant.quota.wrkloads workloads",
		"tenants/acme/more.cue: tenant: zzz: 1":                                                      "tenant.zzz ",
		"tenants/acme/apps/shop/more.cue: application: lables: {}":                                   "application.lables labels",
		"tenants/acme/apps/shop/more.cue: application: objectives: avialability: 0.9":                "application.objectives.avialability availability",
		"tenants/acme/apps/shop/more.cue: application: components: web: traits: ingresss: []":        "application.components.web.traits.ingresss ingress",
		"tenants/acme/apps/shop/more.cue: application: components: web: properties: prots: []":       "application.components.web.properties.prots ports",
		"tenants/acme/apps/shop/more.cue: application: components: web: traits: probes: livenes: {}": "application.components.web.traits.probes.livenes liveness",
	} {
		file, text, _ := strings.Cut(line, ": ")
		path, field, _ := strings.Cut(meant, " ")
		want := "no such field"
		if field != "" {
			want += "; did you mean " + field + "?"
		}
		f := New().Fleet("c", unpack(archive(t, "base.txtar"), overlay(file, "package fleet\n\n"+text+"\n")), nil)
		require.Len(t, f.Problems, 1, "%s: %s", text, report(f))
		require.Equal(t, catalogue.Unknown, f.Problems[0].Code)
		require.Equal(t, path, f.Problems[0].Path)
		require.Equal(t, want, f.Problems[0].Message, text)
	}
}

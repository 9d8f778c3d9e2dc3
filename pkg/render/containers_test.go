package render

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestContainersRefused: a sidecar leaves something of the requests and of the limit to the
// component's own container, names are different, and a mount is one of a storage.
func TestContainersRefused(t *testing.T) {
	const requests = "resources: {requests: {cpu: 100m, memory: 64Mi}"
	for name, c := range map[string]struct{ limits, traits, want string }{
		"nothing left": {"", "{sidecars: [{name: proxy, image: ghcr.io/acme/proxy:2, resources: {requests: {cpu: 500m, memory: 64Mi}}}]}",
			"DA1703 application.components.web.traits.sidecars.0.resources.requests.cpu: leaves nothing to the container of the component, which requests 500m in all"},
		"limit": {"{memory: 300Mi}", "{sidecars: [{name: proxy, image: ghcr.io/acme/proxy:2, " + requests + ", limits: {memory: 128Mi}}}]}",
			"DA1703 application.components.web.traits.sidecars.0.resources.limits.memory: leaves less of the component's limit of 300Mi than its own container requests"},
		"limit below request": {"", "{sidecars: [{name: proxy, image: ghcr.io/acme/proxy:2, " + requests + ", limits: {memory: 32Mi}}}]}",
			"DA1703 application.components.web.traits.sidecars.0.resources.limits.memory: is below its request"},
		"mount": {"", "{init: [{name: fill, image: ghcr.io/acme/fill:1, mounts: {data: /data}}]}",
			"DA1702 application.components.web.traits.init.0.mounts.data: is not the name of a storage of the component"},
		"name": {"", "{init: [{name: web, image: ghcr.io/acme/fill:1}]}",
			"DA1703 application.components.web.traits.init.0.name: is web, and so is another container of the component"},
	} {
		t.Run(name, func(t *testing.T) {
			limits := c.limits
			if limits == "" {
				limits = "{}"
			}
			_, err := Application(readScenario(t, []byte("components: [{name: web, type: worker, replicas: 1, requests: {cpu: 500m, memory: 256Mi}, limits: "+limits+
				", properties: {image: ghcr.io/acme/shop:1}, traits: "+c.traits+"}]")).input(t, nil))
			require.EqualError(t, err, c.want)
		})
	}
}

package fleettest

import (
	"fmt"
	"testing"

	"github.com/d-aros/d-aros/test/gittest"
)

// Large is a repo of applications of one core each, for most of which there is room.
func Large(t testing.TB, n int) *gittest.Repo {
	repo := gittest.New(t)
	const tenants = 100
	allotments := ""
	for i := range tenants {
		name := fmt.Sprintf("t%02d", i)
		allotments += "\t" + name + ": {}\n"
		repo.Write("tenants/"+name+"/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {name: %q, quota: {cpu: \"%d\", memory: \"9999Gi\"}}\n", name, n/tenants+10))
	}
	repo.Write("fleet.cue", fmt.Sprintf(`package fleet

import "d-aros.dev/schema"

schema.#Fleet
platform: {
	name: "large"
	policy: {limits: maxShare: 1.0, images: registries: ["example.com"]}
	pools: general: {capacity: {cpu: "%d", memory: "99999Gi"}, price: {cpu: 0.03, memory: 0.004}}
	allotments: {
%s}
}
`, n-n/20, allotments))
	for i := range n {
		tenant := fmt.Sprintf("t%02d", i%tenants)
		repo.Write(fmt.Sprintf("tenants/%s/apps/app-%d/app.cue", tenant, i), fmt.Sprintf(`package fleet

application: {
	name: "app-%d"
	priority: %d
	components: web: {type: "worker", properties: image: "example.com/web:%d", resources: requests: {cpu: "1", memory: "1Gi"}}
}
`, i, 100+i%7*50, i))
	}
	repo.Commit("first")
	return repo
}

package page

import (
	"fmt"
	"path"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

var links = regexp.MustCompile(`\]\(([^)]+)\)`)

// TestEveryApplicationIsWithinThreeLinks: from the first page of a fleet of 10,000 applications, however they are
// divided, and no page on the way is longer than 400 kB. What is unwell has a row.
func TestEveryApplicationIsWithinThreeLinks(t *testing.T) {
	for _, c := range []struct{ tenants, each, alone int }{{100, 100, 0}, {1000, 10, 0}, {50, 100, 5000}, {10, 1000, 0}} {
		t.Run(fmt.Sprintf("%d of %d and %d", c.tenants, c.each, c.alone), func(t *testing.T) {
			l := model.Ledger{}
			add := func(tenant string, n int) {
				l.Tenants = append(l.Tenants, model.Tenant{Name: tenant})
				for i := range n {
					in := model.Instance{App: model.AppID{Tenant: tenant, Name: fmt.Sprintf("application-%05d", i)}, Number: 1, Phase: model.PhaseRunning, Message: "everything runs as granted"}
					if i == n-1 {
						in.Phase, in.Message = model.PhaseDegraded, "unwell: granted less than it asks for, and why that is so, at some length"
					}
					l.Instances = append(l.Instances, in)
				}
			}
			if c.alone > 0 {
				add("alone", c.alone)
			}
			for i := range c.tenants {
				add(fmt.Sprintf("tenant-%04d", i), c.each)
			}
			require.Len(t, l.Instances, 10_000)
			reached := map[string]bool{}
			follow := func(from string, b []byte) (to []string) {
				require.LessOrEqual(t, len(b), 400<<10, from)
				for _, m := range links.FindAllSubmatch(b, -1) {
					to = append(to, path.Join(path.Dir(from), string(m[1])))
				}
				return to
			}
			used := model.UsageByTenant(&l)
			for _, tenant := range follow(File, Fleet(&l, used, Branch{})) {
				name := path.Base(path.Dir(tenant))
				b := Tenant(&l, name, used[name], model.Links{})
				if b == nil {
					continue // of an application
				}
				require.Contains(t, string(b), "unwell: granted less", "%s", tenant)
				for _, app := range follow(tenant, b) {
					reached[app] = true
				}
			}
			for i := range l.Instances {
				in := &l.Instances[i]
				require.True(t, reached["tenants/"+in.App.Tenant+"/"+in.App.Name+"/"+File], "%s", in.App)
			}
		})
	}
}

package browser

import (
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

const (
	wholeTenant = "package fleet\n\ntenant: {\n\tname: \"acme\"\n\tquota: {cpu: \"8\", memory: \"16Gi\"}\n}\n"
	wholeAccess = "package fleet\n\nplatform: allotments: acme: podSecurity: \"baseline\"\n"
	wholeShop   = `package fleet

application: {
	name: "shop"
	components: {
		web: {
			type: "webservice"
			properties: {image: "registry.example.com/web:1", ports: [{port: 8080}]}
			resources: requests: {cpu: "500m", memory: "64Mi"}
		}
	}
}
`
	wholeBooks = `package fleet

application: {
	name: "books"
	components: web: {
		type: "webservice"
		properties: image: "registry.example.com/web:1"
		resources: requests: {cpu: "500m", memory: "64Mi"}
	}
	workflow: steps: [
		{name: "agree", type: "approval"},
		{name: "release", type: "deploy", components: ["web"], dependsOn: ["agree"]},
	]
}
`
)

// TestWholeWay: the real reconciler and a real cluster carry out what somebody drew in the editor and what somebody typed into a terminal, and open pages
// follow.
func TestWholeWay(t *testing.T) {
	b := newBrowser(t)
	c := clustertest.Start(t)
	fleet := c.Prefix(t)
	c.AddNodes(t, fleet, 2, "4", "16Gi")
	s := &server{program: b.program, repo: gittest.NewBare(t), clone: filepath.Join(t.TempDir(), "fleet")}
	first := gittest.New(t)
	for name, text := range map[string]string{
		"fleet.cue": fleettest.Root(fleettest.Nodes(fleet)), "allotments.cue": wholeAccess, "tenants/acme/tenant.cue": wholeTenant,
		"tenants/acme/apps/shop/app.cue": wholeShop, "tenants/acme/apps/books/app.cue": wholeBooks,
	} {
		first.Write(name, text)
	}
	first.Commit("a fleet")
	s.repo.Git("fetch", "-q", first.Dir, "HEAD:refs/heads/main")
	s.begin(t)

	run := exec.Command(b.program, "run", "--repo", s.repo.Dir, "--state-dir", t.TempDir(), "--kubeconfig", c.Kubeconfig, "--fleet", fleet, "--namespace-prefix", fleet+"-",
		"--lease-namespace", c.Namespace(t), "--listen", "", "--interval", "1s")
	var said strings.Builder
	run.Stdout, run.Stderr = &said, &said
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Signal(syscall.SIGTERM)
		_ = run.Wait()
		if t.Failed() {
			t.Log(said.String())
		}
	})

	git := gittest.In(t, s.clone)
	push := func() { git.Git("push", "-q", "origin", "main") }
	b.during(t, s, "whole", func(string) {
		git.Git("merge", "-q", "--ff-only", "ui/cache-for-web")
		push()
	}, func(out string) {
		typed := strings.Fields(read(t, out, "approve.txt"))
		require.Equal(t, "reconciler", typed[0])
		s.command(t, typed[1:]...)
		push()
	})
}

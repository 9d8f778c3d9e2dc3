package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/fleettest"
)

// TestAttack18RefusalsShowNothing plants values of secrets where they do not belong, or where
// others keep them: in a Secret that others made, in an address with a password, in objects
// of a raw component, in the address of a step, in a literal that policy refuses. What is
// refused is refused by code and place. Neither the status branch with its history nor the
// log, Events, metrics or what commands print has a value.
func TestAttack18RefusalsShowNothing(t *testing.T) {
	w := newA18(t)
	w.file("fleet.cue", fleettest.Root(fleettest.Nodes(w.name),
		`policy: {kinds: ["ConfigMap", "Secret"], secrets: existing: ["db"], egress: hosts: ["hooks.example.com"]}`,
		`allotments: {acme: podSecurity: "baseline", globex: podSecurity: "baseline"}`))
	w.file("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"4\", memory: \"8Gi\"}}\n")
	w.file("tenants/globex/tenant.cue", "package fleet\n\ntenant: {name: \"globex\", quota: {cpu: \"4\", memory: \"8Gi\"}, policy: secrets: literals: \"refused\"}\n")
	app := func(id, components string) {
		tenant, name, _ := strings.Cut(id, "/")
		w.file("tenants/"+tenant+"/apps/"+name+"/app.cue", "package fleet\n\napplication: {name: \""+name+"\", "+components+"}\n")
	}
	worker := func(env string) string {
		return `components: web: {type: "worker", properties: {image: "registry.example.com/web:1", env: {` + env + `}}, resources: requests: {cpu: "100m", memory: "64Mi"}}`
	}
	object := func(data string) string {
		return `components: leak: {type: "raw", properties: objects: [{apiVersion: "v1", kind: "Secret", metadata: name: "leak", stringData: password: ` + data + `}]}`
	}
	app("acme/shop", worker(`DATABASE_URL: "postgres://app:`+canaryURL+`@db/shop", DB: secret: {existing: "db", key: "password"}`))
	app("acme/raw", object(`"`+canaryRaw+`"`))
	app("acme/twice", object(`"`+canaryTwice+`" & "other"`))
	app("acme/told", worker(``)+`, workflow: steps: [{name: "tell", type: "notify", properties: {url: "https://user:`+canaryStep+`@hooks.example.com/x", message: "out"}}]`)
	app("globex/strict", worker(`API_TOKEN: "`+canaryRefused+`"`))
	first := w.commit("secrets in all places")
	stop := w.run()

	w.eventually("make a Secret that others would make", func() bool {
		_, err := w.cluster.Clientset.CoreV1().Secrets(w.name+"-acme").Create(t.Context(),
			&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "db"}, Data: map[string][]byte{"password": []byte(canaryOthers)}}, metav1.CreateOptions{})
		return err == nil
	})
	w.secret("shop-web-env", "postgres://app:"+canaryURL+"@db/shop")
	w.phase("Running")
	problems := w.branch("show", "status:errors.json")
	for id, code := range map[string]string{"raw": "DA1705", "twice": "DA1104", "told": "DA1260", "strict": "DA1564"} {
		require.Contains(t, problems, "/apps/"+id+"/app.cue", "%s is refused with its place", id)
		require.Contains(t, problems, code)
	}
	metrics := w.get("/metrics")
	stop()

	w.clean(metrics)
	w.clean(w.log.String())
	w.clean(w.branch("log", "-p", "--format=%B", "status"))
	w.clean(w.events())
	w.repo.Git("fetch", "-q", w.bare, "+status:status")
	names := []string{"--fleet", w.name, "--namespace-prefix", w.name + "-"}
	for _, args := range [][]string{
		{"status"}, {"status", "-o", "json"}, {"explain", "acme/shop"}, {"explain", "acme/raw"}, {"explain", "globex/strict", "-o", "json"}, {"history", "acme/shop"},
		{"render", "acme/shop"}, {"vet"}, {"vet", "-o", "json"}, append([]string{"plan", "--base", "none"}, names...), append([]string{"plan", "--base", first, "-o", "json"}, names...),
	} {
		var out, errOut bytes.Buffer
		run(t.Context(), append(args, "--repo", w.repo.Dir), &out, &errOut)
		w.clean(out.String() + errOut.String())
	}
}

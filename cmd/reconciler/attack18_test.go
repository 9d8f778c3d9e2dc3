package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/fleettest"
	"github.com/d-aros/d-aros/test/gittest"
)

// Values of secrets that TestAttack18SecretsShowNowhere plants.
const (
	canaryNow     = "canary-7f3e with spaces: and #" // in pkg/sops/testdata/plain.enc.yaml
	canaryLater   = "canary-81cd-later"              // in later.enc.yaml there
	canaryData    = "canary-5a20-data"
	canaryLiteral = "canary-44b1-literal"
	canaryOthers  = "canary-9d17-existing"
	canaryURL     = "canary-2e6b-userinfo"
	canaryRaw     = "canary-c80f-raw"
	canaryTwice   = "canary-d411-twice"
	canaryStep    = "canary-e7a2-step"
	canaryRefused = "canary-f05c-refused"
)

// a18 is a reconciler with its own cluster and repo.
type a18 struct {
	t         *testing.T
	cluster   *clustertest.Cluster
	name      string
	repo      *gittest.Repo
	bare, dir string
	log       output
	address   string
}

// TestAttack18SecretsShowNowhere plants values of secrets: in a file of SOPS, in data, in a
// literal, in a refusal. The cluster gets them. The status branch with its history, the log
// at level debug, Events, metrics and what commands print do not have them. A file that was
// changed, or whose key is not there, is refused by name, the Secret stays, and an older
// file comes back with its commit.
func TestAttack18SecretsShowNowhere(t *testing.T) {
	w := newA18(t)
	app := "tenants/acme/apps/shop/"
	w.file("fleet.cue", fleettest.Root(fleettest.Nodes(w.name), `allotments: {acme: podSecurity: "baseline", globex: podSecurity: "baseline"}`))
	w.file("tenants/acme/tenant.cue", "package fleet\n\ntenant: {name: \"acme\", quota: {cpu: \"4\", memory: \"8Gi\"}}\n")
	w.file(app+"app.cue", `package fleet

application: {
	name: "shop"
	components: {
		db: {type: "secret", properties: sops: "db.enc.yaml"}
		plain: {type: "secret", properties: data: password: "`+canaryData+`"}
		web: {
			type: "worker"
			properties: {
				image: "registry.example.com/web:1"
				env: {DB_PASSWORD: secret: {name: "db", key: "password"}, API_TOKEN: "`+canaryLiteral+`"}
			}
			traits: envFrom: [{secret: "plain"}]
			resources: requests: {cpu: "100m", memory: "64Mi"}
		}
	}
}
`)
	w.encrypted("plain.enc.yaml", nil)
	first := w.commit("a secret of SOPS")
	stop := w.run()
	w.secret("shop-db", canaryNow)
	w.secret("shop-plain", canaryData)
	w.secret("shop-web-env", canaryLiteral)
	before := w.phase("Running")
	require.NotContains(t, before, "canary")

	// An update, as plan and the reconciler see it.
	w.encrypted("later.enc.yaml", nil)
	w.commit("another password")
	for _, format := range []string{"text", "json"} {
		w.repo.Git("fetch", "-q", w.bare, "+status:status")
		plan := w.command(1, "plan", "--repo", w.repo.Dir, "--base", first, "--fleet", w.name, "--namespace-prefix", w.name+"-", "-o", format)
		require.Contains(t, plan, "d-aros.dev/encrypted", "the plan shows that the file is another one")
		w.clean(plan)
	}
	w.secret("shop-db", canaryLater)
	w.phase("Running")

	// A byte is flipped: refused, and the Secret of the release before is there.
	w.encrypted("plain.enc.yaml", func(data []byte) []byte {
		at := bytes.Index(data, []byte("password: ENC[AES256_GCM,data:")) + 40
		data[at] ^= 1
		return data
	})
	w.commit("a flipped byte")
	w.says("acme/shop", `DA1605: it is not as it was encrypted: the value at "password" was changed after it was encrypted`)
	w.secret("shop-db", canaryLater)

	// Another tenant copies the file, as everybody who reads the repo can.
	stolen, err := os.ReadFile("../../pkg/sops/testdata/later.enc.yaml")
	require.NoError(t, err)
	w.file("tenants/globex/tenant.cue", "package fleet\n\ntenant: {name: \"globex\", quota: {cpu: \"1\", memory: \"1Gi\"}}\n")
	w.file("tenants/globex/apps/api/app.cue", "package fleet\n\napplication: {name: \"api\", components: db: {type: \"secret\", properties: sops: \"db.enc.yaml\"}}\n")
	w.file("tenants/globex/apps/api/db.enc.yaml", string(stolen))
	w.commit("a copy of somebody else's secret")
	w.says("globex/api", "DA1606: no key opens it: it is encrypted for age1")
	_, err = w.cluster.Clientset.CoreV1().Secrets(w.name+"-globex").Get(t.Context(), "api-db", metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), err)

	// The old file comes back with its content.
	w.repo.Git("checkout", "-q", first, "--", app+"db.enc.yaml")
	w.commit("back to the first password")
	w.secret("shop-db", canaryNow)
	w.phase("Running")
	metrics := w.get("/metrics")
	stop()

	// Without the key everything stays, and the page says who can help.
	w.keys("acme", "AGE-SECRET-KEY-CANARY\n")
	w.encrypted("later.enc.yaml", nil)
	w.commit("a password that nobody here can read")
	stop = w.run()
	w.says("acme/shop", "DA1607: read the keys: ")
	w.says("acme/shop", "KeyUnreadable")
	w.secret("shop-db", canaryNow)
	metrics += w.get("/metrics")
	stop()

	require.Contains(t, metrics, "daros_")
	w.clean(metrics)
	w.clean(w.log.String())
	w.clean(w.branch("log", "-p", "--format=%B", "status"))
	w.clean(w.events())
	w.repo.Git("fetch", "-q", w.bare, "+status:status")
	for _, args := range [][]string{{"status"}, {"status", "-o", "json"}, {"explain", "acme/shop"}, {"history", "acme/shop"}, {"render", "acme/shop"}} {
		var out, errOut bytes.Buffer
		require.NotEqual(t, exitError, run(t.Context(), append(args, "--repo", w.repo.Dir), &out, &errOut), &errOut)
		w.clean(out.String())
	}
}

func newA18(t *testing.T) *a18 {
	cluster := clustertest.Start(t)
	w := &a18{t: t, cluster: cluster, name: cluster.Prefix(t), repo: gittest.New(t), bare: gittest.NewBare(t).Dir, dir: t.TempDir()}
	cluster.AddNodes(t, w.name, 1, "8", "32Gi")
	program, err := executable()
	require.NoError(t, err)
	beside := filepath.Join(filepath.Dir(program), decryptProgram)
	out, err := exec.Command("go", "build", "-ldflags=-s -linkmode=internal", "-o", beside, "../reconciler-decrypt").CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { _ = os.Remove(beside) })
	keys, err := os.ReadFile("../../pkg/sops/testdata/keys.txt")
	require.NoError(t, err)
	w.keys("acme", string(keys))
	_, other, _ := strings.Cut(string(keys), "\nAGE-SECRET-KEY-1")
	_, other, _ = strings.Cut(other, "\n")
	w.keys("globex", other)
	return w
}

// keys writes the keys of a tenant.
func (w *a18) keys(tenant, keys string) {
	w.t.Helper()
	require.NoError(w.t, os.MkdirAll(filepath.Join(w.dir, "keys"), 0o700))
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, "keys", tenant), []byte(keys), 0o600))
}

func (w *a18) file(name, content string) { w.repo.Write(name, content) }

// encrypted puts a file of pkg/sops/testdata in the place of the secret.
func (w *a18) encrypted(name string, change func([]byte) []byte) {
	w.t.Helper()
	data, err := os.ReadFile("../../pkg/sops/testdata/" + name)
	require.NoError(w.t, err)
	if change != nil {
		data = change(data)
	}
	w.file("tenants/acme/apps/shop/db.enc.yaml", string(data))
}

func (w *a18) commit(message string) string {
	commit := w.repo.Commit(message)
	w.repo.Git("push", "-q", w.bare, "HEAD:main")
	return commit
}

// run runs the reconciler until stop is called.
func (w *a18) run() (stop func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	ended, from := make(chan int, 1), len(w.log.String())
	go func() {
		ended <- run(ctx, []string{"run", "--repo", w.bare, "--kubeconfig", w.cluster.Kubeconfig, "--state-dir", filepath.Join(w.dir, "state"),
			"--listen", "127.0.0.1:0", "--fleet", w.name, "--namespace-prefix", w.name + "-", "--interval", "1s", "--log-level", "debug", "--log-format", "json",
			"--sops-age-keys", filepath.Join(w.dir, "keys")}, io.Discard, &w.log)
	}()
	serving := regexp.MustCompile(`"msg":"serving","address":"([^"]+)"`)
	w.eventually("serve", func() bool {
		if m := serving.FindStringSubmatch(w.log.String()[from:]); m != nil {
			w.address = m[1]
		}
		return w.address != "" && strings.Contains(w.log.String()[from:], `"msg":"serving"`)
	})
	return func() {
		cancel()
		require.Zero(w.t, <-ended, "%s", &w.log)
	}
}

func (w *a18) eventually(what string, done func() bool) {
	w.t.Helper()
	require.Eventually(w.t, done, 3*time.Minute, 100*time.Millisecond, "wait to %s\n%s", what, &w.log)
}

// secret waits until a Secret has a value.
func (w *a18) secret(name, value string) {
	w.t.Helper()
	w.eventually("have the value of "+name, func() bool {
		s, err := w.cluster.Clientset.CoreV1().Secrets(w.name+"-acme").Get(w.t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return false
		}
		for _, v := range s.Data {
			if string(v) == value {
				return true
			}
		}
		return false
	})
}

func (w *a18) branch(args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", w.bare}, args...)...)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// phase waits until the application is in a phase, with nothing on its way, and returns its record.
func (w *a18) phase(phase string) (record string) {
	w.t.Helper()
	head := strings.TrimSpace(w.branch("rev-parse", "main"))
	w.eventually("be "+phase, func() bool {
		record = w.branch("show", "status:tenants/acme/shop/instance.json")
		return strings.Contains(record, `"phase": "`+phase+`"`) && !strings.Contains(record, `"outcomes"`) &&
			strings.Contains(w.branch("show", "status:inputs/source.json"), head)
	})
	return record
}

// says waits until the record of an application says something, or has said it.
func (w *a18) says(app, said string) {
	w.t.Helper()
	w.eventually("say "+said, func() bool {
		records := w.branch("log", "-p", "--format=%B", "status", "--", "tenants/"+app+"/instance.json")
		return strings.Contains(records, strings.ReplaceAll(said, `"`, `\"`))
	})
}

func (w *a18) get(path string) string {
	w.t.Helper()
	resp, err := http.Get("http://" + w.address + path)
	require.NoError(w.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(w.t, err)
	return string(body)
}

// events returns the Events of the application, and of the fleet.
func (w *a18) events() string {
	var all strings.Builder
	for _, namespace := range []string{w.name + "-acme", "default", "daros-system"} {
		list, err := w.cluster.Clientset.CoreV1().Events(namespace).List(w.t.Context(), metav1.ListOptions{})
		require.NoError(w.t, err)
		for i := range list.Items {
			all.WriteString(list.Items[i].String())
		}
	}
	require.Contains(w.t, all.String(), "shop", "there are Events")
	return all.String()
}

func (w *a18) command(code int, args ...string) string {
	w.t.Helper()
	var out, errOut bytes.Buffer
	require.Equal(w.t, code, run(w.t.Context(), args, &out, &errOut), "%s%s", &out, &errOut)
	return out.String() + errOut.String()
}

// clean refuses a text with one of the planted values, as it is or in base64.
func (w *a18) clean(text string) {
	w.t.Helper()
	require.NotEmpty(w.t, text)
	for _, value := range []string{canaryNow, canaryLater, canaryData, canaryLiteral, canaryOthers, canaryURL, canaryRaw, canaryTwice, canaryStep, canaryRefused, "CANARY"} {
		for _, form := range []string{value, base64.StdEncoding.EncodeToString([]byte(value))} {
			if at := strings.Index(text, form); at >= 0 {
				w.t.Fatalf("a value of a secret shows: %q", text[max(0, at-200):at+len(form)])
			}
		}
	}
}

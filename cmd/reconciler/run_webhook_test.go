package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/clustertest"
	"github.com/d-aros/d-aros/test/gittest"
)

// TestWebhookWakesTheReconciler: with an hour between polls, a push is acted on when the Git host tells of it, and not
// when somebody without the secret does.
func TestWebhookWakesTheReconciler(t *testing.T) {
	cluster := clustertest.Start(t)
	name := cluster.Prefix(t)
	remote := gittest.NewBare(t)
	host := httptest.NewServer(remote.Handler(""))
	defer host.Close()
	work := gittest.New(t)
	push := func(cpu string) (commit string) {
		work.Write("fleet.cue", `package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "test"
	policy: {
		limits: {maxReplicas: 5, priorityCeiling: 100}
		images: registries: ["example.com"]
		runtimes: ["container"]
		defaults: {replicas: 1, priority: 10, strategy: "spread", startDeadline: "1m"}
	}
	pools: general: {os: ["linux"], runtimes: ["container"], capacity: {cpu: "`+cpu+`", memory: "1Gi"}}
}
`)
		commit = work.Commit("a pool of " + cpu)
		work.Git("push", "-q", remote.Dir, "HEAD:main")
		return commit
	}
	first := push("1")
	key := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(key, []byte("a secret of the Git host\n"), 0o600))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var log output
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"run", "--repo", host.URL + "/repo", "--kubeconfig", cluster.Kubeconfig, "--state-dir", t.TempDir(), "--listen", "",
			"--fleet", name, "--namespace-prefix", name + "-", "--interval", "1h", "--webhook-listen", "127.0.0.1:0", "--webhook-key", key}, io.Discard, &log)
	}()
	const limit = 5 * time.Minute // for a machine that has much else to do
	serving := regexp.MustCompile(`msg=serving address=(\S+) what=webhook`)
	decided := func(commit string) bool {
		source, err := remote.Command("show", "status:inputs/source.json").Output()
		return err == nil && strings.Contains(string(source), commit)
	}
	require.Eventually(t, func() bool { return serving.MatchString(log.String()) && decided(first) }, limit, 50*time.Millisecond, "%s", &log)
	tell := func(signedWith string) int {
		body := []byte(`{"ref": "refs/heads/main"}`)
		mac := hmac.New(sha256.New, []byte(signedWith))
		mac.Write(body)
		r, err := http.NewRequest(http.MethodPost, "http://"+serving.FindStringSubmatch(log.String())[1], bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("X-Hub-Signature-256", "sha256="+hex.EncodeToString(mac.Sum(nil)))
		resp, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer resp.Body.Close()
		return resp.StatusCode
	}

	second := push("2")
	require.Equal(t, http.StatusUnauthorized, tell("some other secret"))
	require.False(t, decided(second))
	require.Equal(t, http.StatusAccepted, tell("a secret of the Git host"))
	require.Eventually(t, func() bool { return decided(second) }, limit, 50*time.Millisecond, "%s", &log)

	cancel()
	require.Zero(t, <-ended, "%s", &log)
}

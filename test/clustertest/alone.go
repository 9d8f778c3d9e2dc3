package clustertest

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// Alone starts a second cluster, which only this test uses and which ends with it. The test adds the
// nodes that it needs. Flags are further ones of "devcluster up".
func Alone(t testing.TB, flags ...string) *Cluster {
	t.Helper()
	Start(t) // skips, or builds the binary
	ctx, cancel := context.WithTimeout(t.Context(), startLimit)
	defer cancel()
	binary, err := Build(ctx, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	s := &shared{dir: t.TempDir(), binary: binary}
	cmd := exec.Command(binary, append([]string{"up", "--dir", s.path("data"), "--nodes=1"}, flags...)...)
	log, err := os.Create(s.path("up.log"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, clusterEnv(), log, log
	if err := cmd.Start(); err != nil {
		t.Fatalf("start a second cluster: %v", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // why it ended stands in its log
		close(exited)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-exited
	})
	if err := s.waitReady(ctx, exited); err != nil {
		t.Fatalf("start a second cluster: %v", err)
	}
	c, err := connect(s.kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

package main

import (
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

// A cluster is one run of the control plane: what was asked for, where, and on which ports.
// Its methods say how each component is started; those that need a configuration file write it.
type cluster struct {
	options
	dir   *directory
	ports *ports
}

func (c *cluster) etcdArgs() []string {
	return []string{
		"--data-dir=" + c.dir.path("etcd"),
		"--client-url=" + c.ports.etcdClient.url("http"),
		"--peer-url=" + c.ports.etcdPeer.url("http"),
		fmt.Sprintf("--fsync=%t", c.fsync),
	}
}

func (c *cluster) apiServerCommand() []string {
	return append(c.serving(c.ports.apiServer),
		"--etcd-servers="+c.ports.etcdClient.url("http"),
		"--advertise-address=127.0.0.1",
		"--endpoint-reconciler-type=none", // an Endpoints object may not hold a loopback address
		"--tls-cert-file="+c.dir.path("pki", "apiserver.crt"),
		"--tls-private-key-file="+c.dir.path("pki", "apiserver.key"),
		"--client-ca-file="+c.dir.path("pki", "ca.crt"),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file="+c.dir.path("pki", "sa.pub"),
		"--service-account-signing-key-file="+c.dir.path("pki", "sa.key"),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--requestheader-client-ca-file="+c.dir.path("pki", "front-proxy", "ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+c.dir.path("pki", "front-proxy", "client.crt"),
		"--proxy-client-key-file="+c.dir.path("pki", "front-proxy", "client.key"),
	)
}

func (c *cluster) controllerManagerCommand() []string {
	return append(append(c.serving(c.ports.controllerManager), c.delegation(controllerManager)...),
		"--kubeconfig="+c.dir.path("kubeconfig", controllerManager),
		"--leader-elect=false",
		"--use-service-account-credentials=true",
		"--service-account-private-key-file="+c.dir.path("pki", "sa.key"),
		"--root-ca-file="+c.dir.path("pki", "ca.crt"),
		"--cluster-signing-cert-file="+c.dir.path("pki", "ca.crt"),
		"--cluster-signing-key-file="+c.dir.path("pki", "ca.key"),
		fmt.Sprintf("--kube-api-qps=%d", c.clientQPS),
		fmt.Sprintf("--kube-api-burst=%d", 2*c.clientQPS),
		fmt.Sprintf("--node-monitor-grace-period=%s", c.lease*5/4),
	)
}

func (c *cluster) schedulerCommand() ([]string, error) {
	if err := writeYAML(c.dir.path("scheduler.yaml"), map[string]any{
		"apiVersion":     "kubescheduler.config.k8s.io/v1",
		"kind":           "KubeSchedulerConfiguration",
		"leaderElection": map[string]any{"leaderElect": false},
		"clientConnection": map[string]any{
			"kubeconfig": c.dir.path("kubeconfig", scheduler),
			"qps":        c.clientQPS,
			"burst":      2 * c.clientQPS,
		},
	}); err != nil {
		return nil, err
	}
	return append(append(c.serving(c.ports.scheduler), c.delegation(scheduler)...),
		"--config="+c.dir.path("scheduler.yaml"),
	), nil
}

func (c *cluster) kwokArgs() ([]string, error) {
	stages, err := c.kwokStages()
	if err != nil {
		return nil, err
	}
	if err := writeYAML(c.dir.path("kwok.yaml"), map[string]any{
		"apiVersion": "config.kwok.x-k8s.io/v1alpha1",
		"kind":       "KwokConfiguration",
		"options": map[string]any{
			"manageAllNodes":            true,
			"cidr":                      "10.64.0.0/10",
			"nodeIP":                    "127.0.0.1",
			"nodeLeaseDurationSeconds":  int(c.lease.Seconds()),
			"podPlayStageParallelism":   16,
			"nodePlayStageParallelism":  16,
			"nodeLeaseParallelism":      8,
			"podsOnNodeSyncParallelism": 4,
		},
	}, stages...); err != nil {
		return nil, err
	}
	return []string{"--kubeconfig=" + c.dir.path("kubeconfig", kwok), "--config=" + c.dir.path("kwok.yaml")}, nil
}

// serving are the flags with which the Kubernetes components serve on a port that is held for them.
func (c *cluster) serving(p port) []string {
	return []string{
		fmt.Sprintf("--v=%d", c.verbosity),
		"--bind-address=127.0.0.1",
		fmt.Sprintf("--secure-port=%d", p.number),
		"--permit-port-sharing=true",
	}
}

// delegation are the flags with which a component asks the API server who its own callers are.
func (c *cluster) delegation(name string) []string {
	return []string{
		"--authentication-kubeconfig=" + c.dir.path("kubeconfig", name),
		"--authorization-kubeconfig=" + c.dir.path("kubeconfig", name),
	}
}

// writeYAML writes documents to one file.
func writeYAML(name string, first any, others ...any) error {
	var content []byte
	for _, document := range append([]any{first}, others...) {
		text, err := yaml.Marshal(document)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		content = append(append(content, "---\n"...), text...)
	}
	return os.WriteFile(name, content, 0o600)
}

// Command devcluster is a whole Kubernetes control plane in one binary, for tests and demonstrations: etcd,
// kube-apiserver, kube-controller-manager, kube-scheduler, built from their published sources, and KWOK, which
// plays the nodes. "devcluster up" supervises the others, each a process of this same binary.
//
// Everything the Kubernetes API does is real: validation, admission, scheduling, controllers, garbage collection,
// eviction, access rules. What a kubelet does is played: no container runs, no image is pulled, no traffic flows.
// It listens on loopback only and never keeps a secret worth protecting; it is not for production.
package main

import (
	"fmt"
	"os"
	_ "time/tzdata" // time zones of CronJobs

	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
)

const usage = `devcluster is a Kubernetes control plane in one binary, for tests and demonstrations.

Usage:
  devcluster up [flags]           start a cluster and supervise it until SIGTERM or ^C
  devcluster COMPONENT [flags]    run one component: etcd, kube-apiserver,
                                  kube-controller-manager, kube-scheduler, kwok

"devcluster up --help" lists the flags and shows examples.
`

func main() {
	if len(os.Args) < 2 {
		fmt.Fprint(os.Stderr, usage)
		os.Exit(2)
	}
	// The components parse os.Args[1:] themselves: what follows the verb has to look like their command line.
	os.Args = os.Args[1:]
	os.Exit(run(os.Args[0], os.Args[1:]))
}

func run(verb string, args []string) int {
	switch verb {
	case "up":
		return runUp(args)
	case etcd:
		return runEtcd(args)
	case apiServer:
		return runAPIServer()
	case controllerManager:
		return runControllerManager()
	case scheduler:
		return runScheduler()
	case kwok:
		return runKwok()
	case "help", "-h", "--help":
		fmt.Print(usage)
		return 0
	}
	fmt.Fprintf(os.Stderr, "devcluster: unknown command %q\n\n%s", verb, usage)
	return 2
}

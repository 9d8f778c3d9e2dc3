// Command apply measures how fast D-AROS and others apply the same objects to the same API server, which it starts
// itself: a bare loop of server-side apply, D-AROS, the applier of cli-utils and ssa of Flux, all with eight requests at
// a time and without waiting for readiness. It is a Go module of its own, for the weight of the peers.
//
// Each way runs in a process of its own: a first apply, the same once more, and once more with some objects changed.
// The ways take turns, several times; medians and the spread are printed.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/d-aros/d-aros/test/clustertest"
)

// parallel is how many requests each way has under way at the same time.
const parallel = 8

// phases are what each way does, in order.
var phases = []string{"first apply", "unchanged", "1 % changed"}

func main() {
	var w workload
	way := flag.String("way", "", "measure only this way, on a server that runs, and print JSON")
	kubeconfig := flag.String("kubeconfig", "", "with -way: of the server")
	server := flag.Int("server", 0, "with -way: the process of the server")
	some := flag.String("ways", "", "measure only these ways, such as 'bare loop,D-AROS' (default: all)")
	rounds := flag.Int("rounds", 3, "how often all ways take turns")
	only := flag.String("controllers", "off,on", "with the controllers of Kubernetes off, on, or one after the other")
	flag.IntVar(&w.applications, "applications", 500, "of ten objects each")
	flag.StringVar(&w.namespace, "namespace", "bench", "with -way: where the objects are")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	var err error
	if *way != "" {
		err = measureHere(ctx, *way, *kubeconfig, *server, w)
	} else {
		keep(*some)
		err = compare(ctx, w, *rounds, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apply:", err)
		os.Exit(1)
	}
}

// keep keeps only some of the ways, all if none is named.
func keep(names string) {
	if names != "" {
		ways = slices.DeleteFunc(ways, func(w way) bool { return !slices.Contains(strings.Split(names, ","), w.name) })
	}
}

// compare measures all ways in turns, with each of the given states of the controllers.
func compare(ctx context.Context, w workload, rounds int, states string) error {
	binary, err := clustertest.Build(ctx, os.Stderr)
	if err != nil {
		return err
	}
	for _, controllers := range []bool{false, true} {
		if states == "off" && controllers || states == "on" && !controllers {
			continue
		}
		if err := compareOn(ctx, binary, controllers, w, rounds); err != nil {
			return err
		}
	}
	return nil
}

func compareOn(ctx context.Context, binary string, controllers bool, w workload, rounds int) error {
	s, err := startServer(ctx, binary, controllers)
	if err != nil {
		return err
	}
	defer s.stop()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	all := map[string][]result{}
	for round := range rounds {
		for i := range ways {
			name := ways[(i+round)%len(ways)].name // nobody is always first
			fmt.Fprintf(os.Stderr, "round %d of %d: %s\n", round+1, rounds, name)
			cmd := exec.CommandContext(ctx, self, "-way", name, "-kubeconfig", s.kubeconfig, "-server", strconv.Itoa(s.pid()),
				"-applications", strconv.Itoa(w.applications), "-namespace", fmt.Sprintf("round-%d-%d", round, i))
			cmd.Stderr = os.Stderr
			out, err := cmd.Output()
			if err != nil {
				return fmt.Errorf("measure %s: %w", name, err)
			}
			var r result
			if err := json.Unmarshal(out, &r); err != nil {
				return fmt.Errorf("measure %s: %w", name, err)
			}
			all[name] = append(all[name], r)
		}
	}
	state := "off"
	if controllers {
		state = "on"
	}
	fmt.Printf("\n%d objects of %d applications, controllers %s, %d rounds: medians (least to most)\n\n", w.objects(), w.applications, state, rounds)
	return printTable(os.Stdout, all, w.objects())
}

// measureHere measures one way in this process.
func measureHere(ctx context.Context, name, kubeconfig string, server int, w workload) error {
	for _, way := range ways {
		if way.name == name {
			r, err := measure(ctx, way, kubeconfig, server, w)
			if err != nil {
				return err
			}
			return json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	return fmt.Errorf("-way %s: unknown", cmp.Or(name, "(none)"))
}

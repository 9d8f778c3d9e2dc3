package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
	"k8s.io/klog/v2"

	"github.com/d-aros/d-aros/pkg/buildinfo"
	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/evaluate/pool"
	"github.com/d-aros/d-aros/pkg/reconcile"
	"github.com/d-aros/d-aros/pkg/runtime"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/pkg/source/pinned"
	"github.com/d-aros/d-aros/pkg/status"
	"github.com/d-aros/d-aros/pkg/text"
)

// runFlags are the settings of the run command.
type runFlags struct {
	repo, branch, revision, stateDir              string
	trustRoot                                     string
	fleetFiles                                    int
	tokenFile, writeTokenFile, sshKey, knownHosts string
	credentials                                   string
	cluster                                       clusterFlags
	fleet, prefix                                 string
	interval, sourceStale                         time.Duration
	once, dryRun, adopt                           bool
	listen                                        string
	pprof, applicationMetrics, leaderElect        bool
	leaseNamespace, nodeNamespace, tenantRole     string
	workers                                       int
	logFormat, logLevel                           string

	memory   memoryFlags
	status   statusFlags
	outbound outboundFlags
	webhook  webhookFlags
	sops     sopsFlags

	hosts hostFlags
}

func newRunCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Reconcile a fleet repo with a cluster",
		Long: `Run reads the fleet repo, decides, writes the decisions to the status branch and applies
them to the cluster, until it is stopped. It acts only on decisions that the status branch
has, so it can be killed and started again at any time.

The cluster is that of --kubeconfig, else of $KUBECONFIG, else the cluster that the
program runs in. Your own kubeconfig counts only if --context names a context of it.
With --process-dir there need not be one: plain hosts that share the directory run the
components of runtime process.`,
		Example: `  # a repo on this machine, the cluster of $KUBECONFIG
  reconciler run --repo /srv/git/fleet.git

  # a repo on a server, with a token that may only read and one for the status branch
  reconciler run --repo https://git.example.com/acme/fleet.git --token-file read --write-token-file write

  # the ledger in a repo near the reconciler, and a mirror of it where people read
  reconciler run --repo https://git.example.com/acme/fleet.git --token-file token --status-repo /srv/git/ledger.git --status-mirror https://git.example.com/acme/fleet.git

  # a cluster of your own kubeconfig
  reconciler run --repo /srv/git/fleet.git --context staging

  # no cluster: hosts that run nodeagent with the same directory
  reconciler run --repo /srv/git/fleet.git --process-dir /srv/d-aros

  # one pass; the second changes nothing
  reconciler run --repo . --once
  reconciler run --repo . --once --dry-run`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&f.repo, "repo", ".", "fleet repo: an https or ssh URL, or a path")
	fl.StringVar(&f.branch, "branch", "main", "branch that declares the fleet")
	fl.StringVar(&f.revision, "revision", "", "pin the whole fleet to a branch, tag or commit")
	fl.StringVar(&f.trustRoot, "trust-root", "", "commit that is trusted without a check; later commits need signatures (default: the first commit ever seen)")
	fl.IntVar(&f.fleetFiles, "fleet-files", 100_000, "number of files that a commit of the fleet repo may have")
	fl.StringVar(&f.stateDir, "state-dir", defaultStateDir(), "directory for Git objects and evaluations; a cache, safe to delete")
	fl.StringVar(&f.tokenFile, "token-file", "", "file with the token for https")
	fl.StringVar(&f.writeTokenFile, "write-token-file", "", "file with the token for the status branch and its mirror (default: the token in --token-file)")
	addCredentials(fl, &f.credentials)
	fl.StringVar(&f.sshKey, "ssh-key", "", "private key for ssh")
	fl.StringVar(&f.knownHosts, "known-hosts", "", "known_hosts file for ssh (default: the user's)")
	f.cluster.add(fl, "")
	f.cluster.addFurther(fl)
	fl.StringVar(&f.fleet, "fleet", "fleet", "name that marks this fleet's objects in the cluster")
	fl.StringVar(&f.prefix, "namespace-prefix", "", "prefix of the name of every namespace")
	fl.DurationVar(&f.interval, "interval", 15*time.Second, "time between polls of the fleet repo; watched changes start a pass sooner")
	fl.DurationVar(&f.sourceStale, "source-stale", reconcile.SourceStale, "time for which the fleet repo may be unavailable before /readyz and the status branch say so")
	fl.BoolVar(&f.once, "once", false, "make one pass and exit")
	fl.BoolVar(&f.adopt, "adopt", false, "at this start, take the status branch as it is, also if it is missing, foreign or older than the cluster remembers")
	fl.BoolVar(&f.dryRun, "dry-run", false, "print the decisions and change nothing (implies --once)")
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8420", "address to serve /metrics, /healthz and /readyz on; empty: none")
	fl.BoolVar(&f.applicationMetrics, "application-metrics", false, "serve daros_application_phase too, with a series for each application")
	fl.BoolVar(&f.pprof, "pprof", false, "serve /debug/pprof too")
	fl.BoolVar(&f.leaderElect, "leader-elect", false, "reconcile only while holding a Lease in the cluster")
	fl.StringVar(&f.tenantRole, "tenant-role", "", "ClusterRole of the accounts d-aros in the namespaces of tenants, which requests about the objects of applications impersonate; \"\": the reconciler's own rights serve")
	fl.StringVar(&f.nodeNamespace, "node-namespace", "daros-nodes", "namespace of the node agents, which get the plan of their pool there in a ConfigMap; nothing is written where it does not exist")
	fl.StringVar(&f.leaseNamespace, "lease-namespace", "daros-system", "namespace of the Lease, and of the ConfigMap that remembers which ledger the fleet follows")
	f.hosts.add(fl)
	fl.IntVar(&f.workers, "workers", 8, "number of concurrent requests to the API server")
	fl.StringVar(&f.logFormat, "log-format", "text", "text or json")
	fl.StringVar(&f.logLevel, "log-level", "info", "debug, info, warn or error")
	f.memory.add(fl)
	f.status.add(fl)
	f.outbound.add(fl)
	f.webhook.add(fl)
	f.sops.add(fl)
	return cmd
}

// defaultStateDir is below the user's cache directory.
func defaultStateDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = os.TempDir()
	}
	return filepath.Join(dir, "d-aros")
}

// pinnedDir has the files of other repositories that applications name by commits.
func pinnedDir(state string) string { return filepath.Join(state, "pinned") }

func (f *runFlags) run(ctx context.Context, out, errOut io.Writer) error {
	log, err := newLogger(errOut, f.logFormat, f.logLevel)
	if err != nil {
		return err
	}
	klog.SetSlogLogger(log) // client-go logs through klog
	if err := cmp.Or(f.checkFiles(), f.webhook.check()); err != nil {
		return err
	}
	if f.trustRoot != "" && !source.IsCommit(f.trustRoot) {
		return fmt.Errorf("--trust-root %q is not a commit; write all 40 digits", f.trustRoot)
	}
	clusters, err := f.clusterConfigs()
	if err != nil {
		return err
	}
	build := buildinfo.Read()
	src, err := source.Open(ctx, source.Options{
		URL: f.repo, Branch: f.branch, Revision: f.revision, Dir: filepath.Join(f.stateDir, "source"), Auth: f.auth(f.tokenFile),
		Files: source.FileLimits{Count: f.fleetFiles},
	})
	if err != nil {
		return err
	}
	defer src.Close()
	memory, err := f.memory.shares(os.DirFS("/"), log)
	if err != nil {
		return err
	}
	memory.hold()
	defer memory.follow()()
	options, err := f.statusOptions(build, memory.status, log)
	if err != nil {
		return err
	}
	branch, err := status.Open(ctx, options)
	if err != nil {
		return err
	}
	defer branch.Close()
	mirror, err := f.openMirror(branch, log)
	if err != nil {
		return err
	}
	if mirror != nil {
		defer mirror.Close()
	}
	opener, err := f.sops.opener()
	if err != nil {
		return err
	}
	child, err := childCommand(evaluateCommand)
	if err != nil {
		return err
	}
	evaluators, err := pool.Open(ctx, pool.Options{Command: child, Dir: filepath.Join(f.stateDir, "answers"), Memory: memory.children, Budgets: !f.once && !f.dryRun})
	if err != nil {
		return err
	}
	defer evaluators.Close()
	evaluator := evaluate.Through(evaluators)
	reach, err := f.outbound.reach(ctx, clusters)
	if err != nil {
		return err
	}
	outside := pinned.Open(ctx, pinned.Options{Dir: pinnedDir(f.stateDir), Now: f.once || f.dryRun, Dial: reach.Dial, Credentials: f.credentials})
	defer outside.Close()
	runtimes, err := f.runtimes(clusters, opener, evaluator, outside, reach)
	if err != nil {
		return err
	}
	defer runtimes.Close()
	outgoing, err := f.outbound.open(reach, f.dryRun, log)
	if err != nil {
		return err
	}
	defer func() {
		if err := outgoing.close(); err != nil {
			log.Warn("outbound", "error", err)
		}
	}()

	changes := src.Changes(ctx)
	hook, err := f.webhook.open(changes != nil, src.Ref())
	if err != nil {
		return err
	}
	if hook != nil {
		changes = hook.Hints()
	}

	newcomers := reconcile.Newcomers
	if f.once || f.dryRun {
		newcomers = 0 // all get their first record in the one pass
	}
	registry := prometheus.NewRegistry()
	labelled := prometheus.WrapRegistererWith(prometheus.Labels{"fleet": f.fleet}, registry) // one Prometheus may watch many fleets
	labelled.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	settings := reconcile.Options{
		Edges: reconcile.Edges{
			Source: src, Status: branch, Runtime: runtimes.Mux, Evaluator: evaluator,
			Commands: reconcile.NewApprovals(evaluator), Outbound: outgoing.dispatcher, Audience: reconcile.Audience{Listeners: outgoing.listeners},
			Wakes: reconcile.Wakes{SourceChanged: changes, Evaluated: evaluators.Answered(), Fetched: outside.Fetched()}, Slice: f.slice(), Newcomers: newcomers,
			Readings: reconcile.Readings{
				SourceStale: f.sourceStale,
				Outside:     outside.Files,
				Progress:    []func() int64{evaluators.Evaluated},
				Limits:      map[string]func() float64{"fleet-files": src.FilesUsed, "status-files": branch.FilesUsed},
				Delivered:   outgoing.delivered,
			},
		},
		Fleet: f.fleet, Prefix: f.prefix, Interval: f.interval, DryRun: f.dryRun, TrustRoot: f.trustRoot,
		Recognition: reconcile.Recognition{Copy: branch, Branch: f.status.branch, Adopt: f.adopt,
			Signed: options.Signing != nil, Foreign: branch.Foreign, FromMemory: branch.FromMemory},
		Log: log, Metrics: newMetrics(labelled, build, f.applicationMetrics),
	}
	if mirror != nil {
		settings.Mirror = mirror.Behind
	}
	runtimes.connect(&settings)
	loop := reconcile.New(settings)
	if f.once || f.dryRun {
		return f.pass(ctx, loop, out)
	}

	group, ctx := errgroup.WithContext(ctx)
	leader := &election{namespace: f.leaseNamespace, fleet: f.fleet, log: log, standing: standing{leader: !f.leaderElect}}
	if f.listen != "" {
		server := &http.Server{Handler: inspection(f.pprof, registry, loop, branch, &leader.standing)}
		group.Go(func() error { return serve(ctx, "metrics", "--listen", f.listen, server, log) })
	}
	if hook != nil {
		group.Go(func() error {
			return serve(ctx, "webhook", "--webhook-listen", f.webhook.listen, hookServer(hook), log)
		})
	}
	if mirror != nil {
		group.Go(func() error { mirror.Run(ctx); return nil })
	}
	group.Go(func() error {
		log.Info("reconciling", "version", build.String(), "repo", f.repo, "branch", f.branch, "clusters", runtimes.hosts, "processes", f.hosts.processDir, "modules", f.hosts.wasmDir, "nomad", f.hosts.nomad, "fleet", f.fleet)
		if f.leaderElect {
			return leader.lead(ctx, clusters[0].Config, loop.Run)
		}
		return loop.Run(ctx)
	})
	err = group.Wait()
	log.Info("stopped")
	return err
}

// slice is how long a pass acts: with one pass, until all is carried out.
func (f *runFlags) slice() time.Duration {
	if f.once {
		return 0
	}
	return reconcile.Slice
}

// newMetrics registers the metrics of the loop and of the build.
func newMetrics(reg prometheus.Registerer, build buildinfo.Info, applications bool) *reconcile.Metrics {
	reg.MustRegister(build.Metric())
	return reconcile.NewMetrics(reg, applications)
}

// pass makes one pass and prints its transitions and problems. If objects failed, another
// pass records why. The exit code tells of these objects, and of problems.
func (f *runFlags) pass(ctx context.Context, loop *reconcile.Loop, out io.Writer) error {
	r, err := onePass(ctx, loop)
	if err != nil {
		return err
	}
	f.print(out, &r)
	failed := failures(&r)
	if len(failed) > 0 {
		// Whoever reads the status branch is to learn of it, too.
		if r, err = onePass(ctx, loop); err != nil {
			return err
		}
		f.print(out, &r)
		return &exitCode{exitDiffers, fmt.Sprintf("%s not applied: %s", text.Count(len(failed), "object"), text.Enumerate(failed, 5))}
	}
	if n := len(r.Problems); n > 0 {
		return &exitCode{exitDiffers, text.Count(n, "problem") + " in the fleet repo; the last good state of these files stays"}
	}
	if f.dryRun && len(r.Transitions()) > 0 {
		return &exitCode{code: exitDiffers}
	}
	return nil
}

// onePass makes one pass. A fleet repo that cannot be read is an error.
func onePass(ctx context.Context, loop *reconcile.Loop) (reconcile.Report, error) {
	r, err := loop.Pass(ctx)
	return r, cmp.Or(err, r.SourceErr)
}

// failures lists why objects were not applied in a pass.
func failures(r *reconcile.Report) (sentences []string) {
	for i := range r.Applied.Outcomes {
		for _, res := range r.Applied.Outcomes[i].Results {
			if res.Action == runtime.Failed {
				sentences = append(sentences, res.Message)
			}
		}
	}
	return sentences
}

// print prints the transitions and the problems of a pass.
func (f *runFlags) print(out io.Writer, r *reconcile.Report) {
	for _, t := range r.Transitions() {
		fmt.Fprintln(out, text.Clean(fmt.Sprintf("%s#%d %s: %s (%s)", t.App, t.Instance, t.To, t.Message, t.Reason)))
	}
	for _, said := range r.Others {
		fmt.Fprintln(out, text.Clean(said))
	}
	for _, p := range r.Problems {
		fmt.Fprintln(out, text.Clean(fmt.Sprintf("%s %s: %s", p.Code, p.Path, p.Message)))
		for _, place := range p.Places {
			fmt.Fprintf(out, "  %s  %s\n", text.Clean(place.At), text.Clean(place.Note))
		}
	}
}

func (f *runFlags) auth(tokenFile string) source.Auth {
	return source.Auth{TokenFile: tokenFile, KeyFile: f.sshKey, KnownHosts: f.knownHosts}
}

func (f *runFlags) writeToken() string {
	return cmp.Or(f.writeTokenFile, f.tokenFile)
}

func newLogger(w io.Writer, format, level string) (*slog.Logger, error) {
	var l slog.Level
	if err := l.UnmarshalText([]byte(level)); err != nil {
		return nil, fmt.Errorf("--log-level %q: use debug, info, warn or error", level)
	}
	o := &slog.HandlerOptions{Level: l}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(text.Writer{Out: w}, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(text.Writer{Out: w}, o)), nil
	}
	return nil, fmt.Errorf("--log-format %q: use text or json", format)
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// errStop is why a cluster ends that was asked to end.
var errStop = errors.New("stop")

func runUp(args []string) int {
	o, err := parseOptions(args, os.Stdout)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(os.Stderr, "devcluster: %v\nRun \"devcluster up --help\" for the flags.\n", err)
		return 2
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	stopOnSignal(cancel)
	if o.dieWithParent {
		go stopWithParent(ctx, os.Getppid(), cancel)
	}
	if err := up(ctx, cancel, o, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "devcluster:", err)
		return 1
	}
	return 0
}

func stopOnSignal(cancel context.CancelCauseFunc) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		cancel(fmt.Errorf("%w: %s", errStop, <-signals))
		signal.Reset(syscall.SIGINT) // whoever presses ^C twice does not want to wait
	}()
}

// up runs one cluster until the context ends. It returns nil when the context ended with errStop.
func up(ctx context.Context, cancel context.CancelCauseFunc, o options, out io.Writer) (err error) {
	dir, err := openDirectory(o.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.close()) }()
	if err := ensurePKI(dir.path("pki")); err != nil {
		return err
	}
	ports, err := reservePorts(o.port)
	if err != nil {
		return err
	}
	defer ports.release()
	if err := writeKubeconfigs(dir, ports.apiServer.url("https")); err != nil {
		return err
	}

	s := newSupervisor(dir, o.restart, out, func(err error) { cancel(err) })
	defer func() {
		err = errors.Join(err, dir.forget()) // nobody shall begin to use what is going
		s.stop()
	}()
	c := &cluster{options: o, dir: dir, ports: ports}
	if err = c.start(ctx, s, out); err == nil {
		if o.unusedFile != "" {
			go stopWhenUnused(ctx, o.unusedFile, o.unusedFor, cancel)
		}
		<-ctx.Done()
	}
	// Whatever failed during the start because the context ended is not the reason; the cause of its end is.
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if errors.Is(err, errStop) {
		fmt.Fprintln(out, err)
		return nil
	}
	return err
}

// start starts the components in order and returns when the cluster is ready and its kubeconfig is in place.
func (c *cluster) start(ctx context.Context, s *supervisor, out io.Writer) error {
	began := time.Now()
	s.start(etcd, c.etcdArgs())
	s.start(apiServer, append(c.apiServerCommand(), c.apiServerArgs...))
	client, err := newClient(c.dir.path("kubeconfig", "admin"))
	if err != nil {
		return err
	}
	if err := waitForAPIServer(ctx, client); err != nil {
		return err
	}
	if c.controllers {
		s.start(controllerManager, append(c.controllerManagerCommand(), c.controllerArgs...))
	}
	if c.scheduler {
		args, err := c.schedulerCommand()
		if err != nil {
			return err
		}
		s.start(scheduler, append(args, c.schedulerArgs...))
	}
	if c.kwok {
		args, err := c.kwokArgs()
		if err != nil {
			return err
		}
		s.start(kwok, args)
	}
	if err := c.settle(ctx, client); err != nil {
		return err
	}
	admin, err := os.ReadFile(c.dir.path("kubeconfig", "admin"))
	if err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	if err := replaceFile(c.dir.path("kubeconfig.yaml"), admin); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	fmt.Fprintf(out, "READY after %.2fs, %d nodes\nexport KUBECONFIG=%s\n",
		time.Since(began).Seconds(), c.nodes.count(), c.dir.path("kubeconfig.yaml"))
	return nil
}

// settle creates the nodes and waits until pods can be created and run on them.
func (c *cluster) settle(ctx context.Context, client kubernetes.Interface) error {
	nodes := c.nodes.build()
	if err := createNodes(ctx, client, nodes); err != nil {
		return err
	}
	if c.kwok {
		if err := waitForNodes(ctx, client, nodes, c.controllers); err != nil {
			return err
		}
	}
	if c.controllers {
		if err := createStorageClass(ctx, client); err != nil {
			return err
		}
		go provisionVolumes(ctx, client)
		return waitForServiceAccount(ctx, client)
	}
	return nil
}

func newClient(kubeconfig string) (kubernetes.Interface, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	config.ContentType = "application/vnd.kubernetes.protobuf"
	return kubernetes.NewForConfig(config)
}

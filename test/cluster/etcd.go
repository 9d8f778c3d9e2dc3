package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/embed"
)

// runEtcd runs a one-member etcd until SIGTERM or SIGINT.
func runEtcd(args []string) int {
	flags := pflag.NewFlagSet(etcd, pflag.ContinueOnError)
	dataDir := flags.String("data-dir", "", "directory of the data")
	client := flags.String("client-url", "http://127.0.0.1:2379", "where clients connect")
	peer := flags.String("peer-url", "http://127.0.0.1:2380", "where peers would connect")
	fsync := flags.Bool("fsync", true, "survive a crash of the machine")
	switch err := flags.Parse(args); {
	case errors.Is(err, pflag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	cfg, err := etcdConfig(*dataDir, *client, *peer, *fsync)
	if err == nil {
		err = serveEtcd(cfg)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		return 1
	}
	return 0
}

func etcdConfig(dataDir, client, peer string, fsync bool) (*embed.Config, error) {
	clientURL, err := url.Parse(client)
	if err != nil {
		return nil, fmt.Errorf("read --client-url: %w", err)
	}
	peerURL, err := url.Parse(peer)
	if err != nil {
		return nil, fmt.Errorf("read --peer-url: %w", err)
	}
	cfg := embed.NewConfig()
	cfg.Name = "default"
	cfg.Dir = dataDir
	cfg.ListenClientUrls = []url.URL{*clientURL}
	cfg.AdvertiseClientUrls = []url.URL{*clientURL}
	cfg.ListenPeerUrls = []url.URL{*peerURL}
	cfg.AdvertisePeerUrls = []url.URL{*peerURL}
	// A data directory is used again with other ports: the member must not look for itself at the old ones.
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.SocketOpts.ReusePort = true // the supervisor holds the port, see reservePorts
	cfg.UnsafeNoFsync = !fsync
	cfg.Logger = "zap"
	cfg.LogLevel = "warn"
	cfg.QuotaBackendBytes = 8 << 30
	cfg.InitialElectionTickAdvance = true
	cfg.StrictReconfigCheck = false
	// Zero, which NewConfig leaves here, means that every request is logged as slow.
	cfg.WarningUnaryRequestDuration = 300 * time.Millisecond
	return cfg, nil
}

func serveEtcd(cfg *embed.Config) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	server, err := embed.StartEtcd(cfg)
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer server.Close()
	select {
	case <-ctx.Done():
		return nil
	case err := <-server.Err():
		return fmt.Errorf("serve: %w", err)
	}
}

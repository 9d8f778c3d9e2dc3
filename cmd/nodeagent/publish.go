//go:build linux

package main

import (
	"cmp"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/d-aros/d-aros/pkg/nodeagent"
)

func newPublish(cfg *nodeagent.Config) *cobra.Command {
	var p nodeagent.Publishing
	var format string
	cmd := &cobra.Command{
		Use:   "publish --node NAME --config-map NAME",
		Short: "Bring the promises that this node does not keep to the reconciler",
		Long: `publish reads the report of the agent and writes what of it the reconciler has to
know into a ConfigMap: reservations that are reduced or not got, and settings that the
kernel refuses. It runs beside the agent, which has no connection to a cluster, and needs
one right: to patch that ConfigMap. It writes only when the report says something else.`,
		Example: "  nodeagent publish --node \"$NODE_NAME\" --namespace daros-nodes --config-map report-fleet-general",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			p.StateDir, p.Server = cfg.StateDir, cmp.Or(p.Server, apiServer())
			if p.Log, err = newLog(cmd.ErrOrStderr(), format); err != nil {
				return err
			}
			return nodeagent.Publish(cmd.Context(), p)
		},
	}
	const mounted = "/var/run/secrets/kubernetes.io/serviceaccount/"
	cmd.Flags().StringVar(&p.Node, "node", "", "name of this node")
	cmd.Flags().StringVar(&p.ConfigMap, "config-map", "", "ConfigMap that the reconciler reads: report-FLEET-POOL")
	cmd.Flags().StringVar(&p.Namespace, "namespace", "daros-nodes", "its namespace")
	cmd.Flags().StringVar(&p.Server, "server", "", "URL of the API server (default: the one that the kubelet tells)")
	cmd.Flags().StringVar(&p.TokenFile, "token-file", mounted+"token", "token of a ServiceAccount that may patch the ConfigMap")
	cmd.Flags().StringVar(&p.CAFile, "ca-file", mounted+"ca.crt", "certificates of the API server's authority")
	cmd.Flags().DurationVar(&p.Settle, "settle", time.Minute, "how long a promise holds before that is told; what is not kept is told at once")
	cmd.Flags().StringVar(&format, "log-format", "text", "text or json")
	_ = cmd.MarkFlagRequired("node")
	_ = cmd.MarkFlagRequired("config-map")
	return cmd
}

// apiServer is what the kubelet tells every container, "" outside of one.
func apiServer() string {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return ""
	}
	return "https://" + net.JoinHostPort(host, port)
}

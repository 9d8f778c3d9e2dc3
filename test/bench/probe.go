package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// probe looks at the reconciler's metrics and at the cluster.
type probe struct {
	address string
	client  *kubernetes.Clientset
	metrics map[string]*dto.MetricFamily
}

func newProbe(kubeconfig, address string) (*probe, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1
	client, err := kubernetes.NewForConfig(cfg)
	return &probe{address: address, client: client}, err
}

// read takes the metrics anew.
func (p *probe) read() error {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get("http://" + p.address + "/metrics")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("metrics: %s", resp.Status)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	p.metrics, err = parser.TextToMetricFamilies(resp.Body)
	return err
}

// profile writes a profile of the reconciler's heap.
func (p *probe) profile(file string) error {
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get("http://" + p.address + "/debug/pprof/heap")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(f, resp.Body)
	return err
}

// sum adds up a metric over the series that have the label value.
func (p *probe) sum(name, value string) int {
	total := 0.0
	for _, m := range p.metrics[name].GetMetric() {
		matches := value == ""
		for _, l := range m.GetLabel() {
			matches = matches || l.GetValue() == value
		}
		if matches {
			total += m.GetGauge().GetValue() + m.GetCounter().GetValue()
		}
	}
	return int(total)
}

func (p *probe) phase(name string) int        { return p.sum("daros_applications", name) }
func (p *probe) objects(action string) int    { return p.sum("daros_objects_total", action) }
func (p *probe) transitions(phase string) int { return p.sum("daros_transitions_total", phase) }
func (p *probe) commits() int                 { return p.sum("daros_status_commits_total", "") }

// writes are the requests that changed something in the cluster.
func (p *probe) writes() int {
	return p.sum("daros_api_requests_total", "apply") + p.sum("daros_api_requests_total", "delete")
}

// image is what a Deployment runs, "" if it cannot be read.
func (p *probe) image(ctx context.Context, namespace, name string) string {
	d, err := p.client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return ""
	}
	return d.Spec.Template.Spec.Containers[0].Image
}

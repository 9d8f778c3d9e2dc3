// Package trace replays a real trace of a cluster through arbitration: the nodes
// and pods of Alibaba's openb trace (2023), grouped into pools and applications.
// It reads the data where it lies and never copies it; it decides nothing.
//
// What is the trace's: the shapes, how many came when, for how long, their class
// of service, and how much of which GPU model there is. What is ours, as the trace
// does not have it: pods of one shape and class that came in the same hour are
// one application; tenants are a hash of the shape; how far an application may be
// degraded; guarantees.
package trace

import (
	"encoding/csv"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Names of the files of the trace.
const (
	nodesFile = "openb_node_list_all_node.csv"
	podsFile  = "openb_pod_list_default.csv"
)

// GPU is counted in thousandths, as pods of the trace share GPUs.
const GPU = "example.com/gpu-milli"

// Tenants is how many the shapes are divided among.
const Tenants = 8

// Trace is what the files say, grouped.
type Trace struct {
	Pools []model.Pool // by name, as large as they are
	Jobs  []Job        // by arrival, then name
	Pods  int
}

// Job is an application of the trace: pods alike that came within one hour.
type Job struct {
	ID       model.AppID
	QoS      string
	Replicas int
	Requests model.Resources
	Arrives  int64 // seconds since the trace began
	Lasts    int64 // seconds that it runs
}

// Read reads a directory that has the two files of the trace.
func Read(dir string) (*Trace, error) {
	nodes, err := table(filepath.Join(dir, nodesFile), "cpu_milli", "memory_mib", "gpu", "model")
	if err != nil {
		return nil, err
	}
	pods, err := table(filepath.Join(dir, podsFile), "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "qos", "creation_time", "deletion_time")
	if err != nil {
		return nil, err
	}
	t := &Trace{Pods: len(pods)}
	if t.Pools, err = pools(nodes); err != nil {
		return nil, err
	}
	t.Jobs, err = jobs(pods)
	return t, err
}

// table reads the named columns of a file with a header.
func table(path string, columns ...string) (rows [][]string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		if at[i] = slices.Index(header, c); at[i] < 0 {
			return nil, fmt.Errorf("read %s: it has no column %s", path, c)
		}
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		row := make([]string, len(at))
		for i, n := range at {
			row[i] = record[n]
		}
		rows = append(rows, row)
	}
}

// pools sums nodes by their model of GPU; those without make a pool of their own.
func pools(rows [][]string) ([]model.Pool, error) {
	byName := map[string]*model.Pool{}
	for _, row := range rows {
		n, err := numbers(row[:3])
		if err != nil {
			return nil, err
		}
		name := strings.ToLower(row[3])
		if name == "" {
			name = "no-gpu"
		}
		p := byName[name]
		if p == nil {
			p = &model.Pool{Name: name}
			byName[name] = p
		}
		p.Nodes++
		p.Capacity = p.Capacity.Add(amount(n[0], n[1], n[2]*1000))
	}
	var all []model.Pool
	for _, p := range byName {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(x, y model.Pool) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// jobs groups pods by shape, class and hour.
func jobs(rows [][]string) (all []Job, err error) {
	type key struct {
		shape, qos string
		hour       int64
	}
	at := map[key]int{}
	end := map[int]int64{}
	for _, row := range rows {
		n, err := numbers([]string{row[0], row[1], row[2], row[3], row[5], row[6]})
		if err != nil {
			return nil, err
		}
		gpu := n[3]
		if n[2] > 1 {
			gpu = n[2] * 1000
		}
		k := key{strings.Join(row[:4], "-"), row[4], n[4] / 3600}
		i, known := at[k]
		if !known {
			i = len(all)
			at[k] = i
			all = append(all, Job{ID: model.AppID{Tenant: tenant(k.shape)}, QoS: row[4], Requests: amount(n[0], n[1], gpu), Arrives: n[4]})
		}
		j := &all[i]
		j.Replicas++
		j.Arrives = min(j.Arrives, n[4])
		end[i] = max(end[i], n[5])
	}
	for i := range all {
		all[i].ID.Name = fmt.Sprintf("app-%04d", i)
		all[i].Lasts = max(1, end[i]-all[i].Arrives)
	}
	slices.SortStableFunc(all, func(x, y Job) int { return int(min(1, max(-1, x.Arrives-y.Arrives))) })
	return all, nil
}

// tenant divides shapes among tenants: whose they were is not in the trace.
func tenant(shape string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(shape))
	return fmt.Sprintf("tenant-%d", h.Sum32()%Tenants)
}

func amount(cpuMilli, memoryMiB, gpuMilli int64) model.Resources {
	r := model.Resources{CPU: cpuMilli, Memory: memoryMiB << 20}
	if gpuMilli > 0 {
		r.Devices = map[string]int64{GPU: gpuMilli}
	}
	return r
}

func numbers(words []string) ([]int64, error) {
	n := make([]int64, len(words))
	for i, w := range words {
		var err error
		if n[i], err = strconv.ParseInt(w, 10, 64); err != nil {
			return nil, fmt.Errorf("read the trace: %w", err)
		}
	}
	return n, nil
}

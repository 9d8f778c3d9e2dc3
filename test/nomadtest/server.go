// Package nomadtest gives tests a server that does as the HTTP API of Nomad is documented.
package nomadtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// page is the most of a list that one answer has.
const page = 3

// Server keeps jobs, allocations, namespaces and nodes as the HTTP API of Nomad is documented to do.
// Its tasks run at once; one with an entry point ends with the code of its first argument, again
// and again in a service, and for good in a batch job. Who reads or sets a field while it serves
// holds its lock.
type Server struct {
	sync.Mutex
	Index      uint64                    // of the last change
	Jobs       map[string]map[string]any // by namespace/id
	Namespaces map[string]map[string]any
	Token      string                   // that it asks for, "": none
	Before     func(*http.Request) bool // reports whether the server answers
	moved      chan struct{}            // closed at each change
}

// New returns a server without jobs.
func New() *Server {
	return &Server{moved: make(chan struct{}), Index: 1, Jobs: map[string]map[string]any{}, Namespaces: map[string]map[string]any{}}
}

// Start serves it until the test ends, and returns its address.
func (s *Server) Start(t testing.TB) string {
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL
}

// Change tells who waits that something has changed.
func (s *Server) Change() {
	s.Index++
	close(s.moved)
	s.moved = make(chan struct{})
}

func number(v any) uint64 {
	n, _ := v.(float64)
	return uint64(n)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.Lock()
	defer s.Unlock()
	if s.Before != nil && !s.Before(r) {
		panic(http.ErrAbortHandler)
	}
	if s.Token != "" && r.Header.Get("X-Nomad-Token") != s.Token {
		http.Error(w, "ACL token not found", http.StatusForbidden)
		return
	}
	if index, _ := strconv.ParseUint(r.URL.Query().Get("index"), 10, 64); index >= s.Index {
		wait, _ := time.ParseDuration(r.URL.Query().Get("wait"))
		moved := s.moved
		s.Unlock()
		ctx, cancel := context.WithTimeout(r.Context(), wait)
		select {
		case <-moved:
		case <-ctx.Done():
		}
		cancel()
		s.Lock()
	}
	w.Header().Set("X-Nomad-Index", strconv.FormatUint(s.Index, 10))
	path, space := strings.TrimPrefix(r.URL.Path, "/v1/"), r.URL.Query().Get("namespace")
	kind, name, _ := strings.Cut(path, "/")
	switch r.Method + " " + kind {
	case "GET nodes":
		s.list(w, r, []any{
			map[string]any{"NodePool": "nomads", "Status": "ready", "SchedulingEligibility": "eligible", "NodeResources": map[string]any{"Cpu": map[string]any{"CpuShares": 4000}, "Memory": map[string]any{"MemoryMB": 8192}}, "ReservedResources": map[string]any{"Cpu": map[string]any{"CpuShares": 500}, "Memory": map[string]any{"MemoryMB": 192}}},
			map[string]any{"NodePool": "nomads", "Status": "down", "SchedulingEligibility": "eligible", "NodeResources": map[string]any{"Cpu": map[string]any{"CpuShares": 4000}}},
		})
	case "GET jobs":
		var all []any
		for _, id := range slices.Sorted(maps.Keys(s.Jobs)) {
			j := s.Jobs[id]
			listed := map[string]any{"JobSummary": map[string]any{"Summary": map[string]any{}}}
			for _, f := range []string{"ID", "Namespace", "Type", "Stop", "JobModifyIndex"} {
				listed[f] = j[f]
			}
			if r.URL.Query().Get("meta") == "true" {
				listed["Meta"] = j["Meta"]
			}
			all = append(all, listed)
		}
		s.list(w, r, all)
	case "GET allocations":
		s.list(w, r, s.allocations())
	case "GET job":
		s.one(w, s.Jobs[space+"/"+name])
	case "DELETE job":
		if s.Jobs[space+"/"+name] == nil {
			http.NotFound(w, r)
			return
		}
		if r.URL.Query().Get("purge") == "true" {
			delete(s.Jobs, space+"/"+name)
		} else {
			s.Jobs[space+"/"+name]["Stop"] = true
		}
		s.Change()
		fmt.Fprint(w, `{}`)
	case "GET namespace":
		s.one(w, s.Namespaces[name])
	case "POST namespace":
		var n map[string]any
		_ = json.NewDecoder(r.Body).Decode(&n)
		s.Namespaces[n["Name"].(string)] = n
		s.Change()
	case "POST jobs":
		s.register(w, r)
	default:
		http.NotFound(w, r)
	}
}

// register keeps a job if its index is that of the one that is there.
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Job            map[string]any
		EnforceIndex   bool
		JobModifyIndex uint64
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.Job["ID"] == "" {
		http.Error(w, "no job", http.StatusBadRequest)
		return
	}
	space, _ := in.Job["Namespace"].(string)
	if s.Namespaces[space] == nil {
		http.Error(w, "nonexistent namespace", http.StatusBadRequest)
		return
	}
	name := fmt.Sprint(space, "/", in.Job["ID"])
	was := s.Jobs[name]
	if at := number(was["JobModifyIndex"]); in.EnforceIndex && at != in.JobModifyIndex {
		http.Error(w, fmt.Sprintf("Enforcing job modify index %d: job exists with conflicting job modify index: %d", in.JobModifyIndex, at), http.StatusInternalServerError)
		return
	}
	s.Change()
	in.Job["JobModifyIndex"], in.Job["Region"] = float64(s.Index), "global"
	in.Job["Version"] = float64(0)
	if was != nil {
		in.Job["Version"] = was["Version"].(float64) + 1
	}
	s.Jobs[name] = in.Job
	fmt.Fprintf(w, `{"EvalID":"e","JobModifyIndex":%d}`, s.Index)
}

// allocations are those of all jobs.
func (s *Server) allocations() (all []any) {
	for _, id := range slices.Sorted(maps.Keys(s.Jobs)) {
		j := s.Jobs[id]
		if j["Stop"] == true {
			continue
		}
		g := j["TaskGroups"].([]any)[0].(map[string]any)
		config := g["Tasks"].([]any)[0].(map[string]any)["Config"].(map[string]any)
		state, client := map[string]any{"State": "running"}, "running"
		switch {
		case config["entrypoint"] != nil:
			code, _ := strconv.Atoi(config["args"].([]any)[0].(string))
			state = map[string]any{"State": "pending", "Restarts": 2, "Events": []any{
				map[string]any{"Type": "Terminated", "ExitCode": code, "Details": map[string]any{"oom_killed": "false"}}, map[string]any{"Type": "Restarting"},
			}}
			if client = "pending"; j["Type"] == "batch" {
				client = "failed"
			}
		case j["Type"] == "batch":
			state, client = map[string]any{"State": "dead"}, "complete"
		}
		a := map[string]any{"Namespace": j["Namespace"], "JobID": j["ID"], "JobVersion": j["Version"], "DesiredStatus": "run", "ClientStatus": client, "TaskStates": map[string]any{"main": state}}
		if j["Type"] == "service" {
			a["DeploymentStatus"] = map[string]any{"Healthy": client == "running"}
		}
		for range number(g["Count"]) {
			all = append(all, a)
		}
	}
	return all
}

// list answers a page of a list.
func (s *Server) list(w http.ResponseWriter, r *http.Request, all []any) {
	from, _ := strconv.Atoi(r.URL.Query().Get("next_token"))
	to := min(from+page, len(all))
	if to < len(all) {
		w.Header().Set("X-Nomad-NextToken", strconv.Itoa(to))
	}
	_ = json.NewEncoder(w).Encode(append([]any{}, all[min(from, to):to]...))
}

func (s *Server) one(w http.ResponseWriter, v map[string]any) {
	if v == nil {
		http.Error(w, "not found", http.StatusNotFound)
		return
	}
	_ = json.NewEncoder(w).Encode(v)
}

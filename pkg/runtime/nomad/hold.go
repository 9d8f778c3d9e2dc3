package nomad

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/runtime"
)

// wish is a job that is to be there.
type wish struct {
	key
	keep     bool // it stays as it is, and is not begun
	once     bool // it is begun, and then stays as it is
	spec     *model.Application
	c        *model.Component
	grant    model.Grant
	inputs   []model.Value
	digest   model.Digest
	lock     string
	replicas int
}

// Act makes the jobs those of the assignments. A job that others changed between two requests is
// left to the next call.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report.Outcomes = make([]runtime.Outcome, len(list))
	for i := range list {
		report.Outcomes[i].App = list[i].App
	}
	all, err := r.jobs(ctx)
	if report.Requests.Get++; err != nil {
		report.Err = err
		return report
	}
	of := map[model.AppID][]*listed{}
	for i := range all {
		app := keyOf(all[i].Meta).app
		of[app] = append(of[app], &all[i])
	}
	for i := range list {
		if report.Err = ctx.Err(); report.Err != nil {
			return report
		}
		if !list[i].IsShared() {
			h := holding{Runtime: r, requests: &report.Requests, outcome: &report.Outcomes[i]}
			var no *refusal
			if err := h.hold(ctx, &list[i], of[list[i].App]); errors.As(err, &no) {
				h.outcome.Err = err
			} else if report.Err = err; err != nil { // it does not answer, and would not answer for the others
				return report
			}
		}
	}
	return report
}

// holding is the work on one assignment.
type holding struct {
	*Runtime
	requests *runtime.Requests
	outcome  *runtime.Outcome
}

func (h *holding) did(k key, action runtime.Action, reason model.Reason, message string) {
	h.outcome.Results = append(h.outcome.Results, runtime.Result{Object: "job " + k.String(), Component: k.component, Action: action, Reason: reason, Message: message})
}

func (h *holding) hold(ctx context.Context, a *runtime.Assignment, live []*listed) error {
	there := map[key]*listed{}
	for _, s := range live {
		there[keyOf(s.Meta)] = s
	}
	stay := map[key]bool{}
	for _, w := range h.wishes(a) {
		if stay[w.key] = true; w.keep || w.once && there[w.key] != nil {
			continue
		}
		if err := h.put(ctx, &w, there[w.key]); err != nil {
			return err
		}
	}
	for _, s := range live {
		k := keyOf(s.Meta)
		if stay[k] {
			continue
		}
		h.requests.Delete++
		err := h.c.do(ctx, http.MethodDelete, "job/"+url.PathEscape(s.ID), url.Values{"namespace": {s.Namespace}, "purge": {"true"}}, nil, nil)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		delete(h.wrote, s.name())
		delete(h.known, s.name())
		h.did(k, runtime.Pruned, "", "")
	}
	return nil
}

// put registers a job, unless it is there as it is wanted.
func (h *holding) put(ctx context.Context, w *wish, s *listed) error {
	j, err := h.job(w)
	if err != nil {
		h.did(w.key, runtime.Failed, model.OutcomeInvalid, err.Error())
		return nil
	}
	if j.NodePool == "" { // nothing is granted: it is stopped where it is
		if s == nil {
			return nil
		}
		j.NodePool = "default"
	}
	name, action, index := j.Namespace+"/"+j.ID, runtime.Created, uint64(0)
	if _, ok := h.wrote[name]; ok {
		action = runtime.Corrected
	}
	if s != nil {
		now, err := h.registered(ctx, s, h.requests)
		if err != nil {
			return err
		}
		index = now.index
		if j.holds(now.raw) {
			h.wrote[name] = written{w.app, index}
			return nil
		}
		if action = runtime.Configured; s.Meta[metaSpec] == j.Meta[metaSpec] {
			action = runtime.Corrected // it was told just this
		}
	} else if err := h.namespace(ctx, w.app.Tenant, j.Namespace); err != nil {
		return err
	}
	var answer struct{ JobModifyIndex uint64 }
	h.requests.Apply++
	// Index 0 is that of a job which is not there yet.
	err = h.c.do(ctx, http.MethodPost, "jobs", url.Values{"namespace": {j.Namespace}}, map[string]any{"Job": j, "EnforceIndex": true, "JobModifyIndex": index}, &answer)
	var no *refusal
	if errors.As(err, &no) && no.permanent() {
		h.did(w.key, runtime.Failed, model.OutcomeInvalid, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	h.wrote[name] = written{w.app, answer.JobModifyIndex}
	h.did(w.key, action, "", "")
	return nil
}

// namespace makes the namespace of a tenant, or finds it. One that is not the fleet's is refused.
func (h *holding) namespace(ctx context.Context, tenant, name string) error {
	if h.namespaces[name] {
		return nil
	}
	var has struct{ Meta map[string]string }
	h.requests.Get++
	err := h.c.do(ctx, http.MethodGet, "namespace/"+url.PathEscape(name), nil, nil, &has)
	if errors.Is(err, errNone) {
		h.requests.Apply++
		has.Meta = map[string]string{metaFleet: h.o.Fleet, metaTenant: tenant}
		err = h.c.do(ctx, http.MethodPost, "namespace", nil, map[string]any{"Name": name, "Description": "tenant " + tenant, "Meta": has.Meta}, nil)
	}
	if err != nil {
		return err
	}
	if has.Meta[metaFleet] != h.o.Fleet {
		return &refusal{http.StatusConflict, fmt.Sprintf("namespace %s is not of fleet %s; remove it, or run with --namespace-prefix", name, h.o.Fleet)}
	}
	h.namespaces[name] = true
	return nil
}

// wishes lists what an assignment wants of Nomad.
func (r *Runtime) wishes(a *runtime.Assignment) (all []wish) {
	if a.Ends() || a.Instance == nil || a.Instance.Spec == nil {
		return nil
	}
	for i := range a.Components {
		c := &a.Components[i]
		w := wish{key: key{app: a.App, component: c.Name}, keep: c.Hold, spec: a.Instance.Spec, c: c.Component, grant: c.State.Grant.AsTold(), digest: c.State.Workload}
		if c.Want == runtime.Running {
			w.replicas = c.State.Run
		}
		if !c.Runs() || c.Finite() && w.replicas == 0 && !w.keep {
			continue // what ends by itself is there while it runs
		}
		all = append(all, w)
		if b := c.State.Beside; b != nil {
			newer, ok := a.Instance.Spec.Component(c.Name)
			w.beside, w.keep = true, !ok || newer.Content(a.App) != b.Spec
			w.c, w.digest, w.replicas = newer, b.Workload, b.Run
			all = append(all, w)
		}
	}
	for i := range a.Jobs {
		j := &a.Jobs[i]
		w := wish{key: key{app: a.App, component: j.Component, job: j.Key}, keep: true, once: true, inputs: j.Inputs, lock: j.Lock}
		for _, spec := range []*model.Application{a.Instance.Spec, a.Instance.Previous} {
			if spec == nil || spec.Release != j.Spec {
				continue
			}
			if c, ok := spec.Component(j.Component); ok && r.Carries(c, nil) == nil {
				w.spec, w.c, w.replicas, w.keep = spec, c, max(1, c.Replicas), j.Keep
				w.grant = model.Grant{Component: c.Name, Requests: c.Requests, QoS: c.QoS, Pool: poolOf(a, c)}
				w.digest = model.WorkloadDigest(c, w.grant, w.replicas)
			}
			break
		}
		all = append(all, w)
	}
	return all
}

// poolOf returns the pool in which the job of a step runs: that of its component, or the first of Nomad.
func poolOf(a *runtime.Assignment, c *model.Component) string {
	if s, ok := a.Instance.Component(c.Name); ok && s.Grant.Pool != "" {
		return s.Grant.Pool
	}
	if c.Placement.Pool != "" {
		return c.Placement.Pool
	}
	for i := range a.Platform.Pools {
		for _, name := range a.Platform.Pools[i].Runtimes {
			if name == "nomad" {
				return a.Platform.Pools[i].Name
			}
		}
	}
	return ""
}

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

// Act makes the jobs those of the assignments. A job that others changed between two requests is
// left to the next call.
func (r *Runtime) Act(ctx context.Context, list []runtime.Assignment) (report runtime.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	report = runtime.NewReport(list)
	all, err := r.jobs(ctx)
	if report.Requests.Get++; err != nil {
		report.Err = err
		return report
	}
	of := map[model.AppID][]*listed{}
	for i := range all {
		app := keyOf(all[i].Meta).App
		of[app] = append(of[app], &all[i])
	}
	for i := range list {
		if report.Err = ctx.Err(); report.Err != nil {
			return report
		}
		if !list[i].IsShared() {
			h := holding{Runtime: r, requests: &report.Requests, outcome: &report.Outcomes[i]}
			err := h.hold(ctx, &list[i], of[list[i].App])
			if _, refused := errors.AsType[*refusal](err); refused {
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

func (h *holding) did(k model.PartKey, action runtime.Action, reason model.Reason, message string) {
	h.outcome.Results = append(h.outcome.Results, runtime.Result{Object: "job " + k.App.Tenant + "/" + idOf(k), Component: k.Component, Action: action, Reason: reason, Message: message})
}

func (h *holding) hold(ctx context.Context, a *runtime.Assignment, live []*listed) error {
	there := map[model.PartKey]*listed{}
	for _, s := range live {
		there[keyOf(s.Meta)] = s
	}
	stay := map[model.PartKey]bool{}
	for _, w := range a.Parts("nomad") {
		k := w.PartKey
		begun := w.Job != "" && there[k] != nil // once, and then it stays as it is
		if w.Job == "" && !w.Keep && w.Replicas == 0 && w.Declared.Finite() {
			continue // what ends by itself is there while it runs
		}
		if stay[k] = true; w.Keep || begun {
			continue
		}
		if err := h.put(ctx, &w, there[k]); err != nil {
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
func (h *holding) put(ctx context.Context, w *runtime.Part, s *listed) error {
	j, err := h.job(w)
	if err != nil {
		h.did(w.PartKey, runtime.Failed, model.OutcomeInvalid, err.Error())
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
			h.wrote[name] = written{w.App, index}
			return nil
		}
		if action = runtime.Configured; s.Meta[metaSpec] == j.Meta[metaSpec] {
			action = runtime.Corrected // it was told just this
		}
	} else if err := h.namespace(ctx, w.App.Tenant, j.Namespace); err != nil {
		return err
	}
	var answer struct{ JobModifyIndex uint64 }
	h.requests.Apply++
	// Index 0 is that of a job which is not there yet.
	err = h.c.do(ctx, http.MethodPost, "jobs", url.Values{"namespace": {j.Namespace}}, map[string]any{"Job": j, "EnforceIndex": true, "JobModifyIndex": index}, &answer)
	if no, ok := errors.AsType[*refusal](err); ok && no.permanent() {
		h.did(w.PartKey, runtime.Failed, model.OutcomeInvalid, err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	h.wrote[name] = written{w.App, answer.JobModifyIndex}
	h.did(w.PartKey, action, "", "")
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

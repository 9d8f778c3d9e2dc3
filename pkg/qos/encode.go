package qos

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// mostEncoded leaves room in a ConfigMap, which holds a MiB with its other fields.
const mostEncoded = 900 << 10

// heading, named and row are a document as [Encode] writes it.
type (
	heading struct {
		APIVersion string             `json:"apiVersion"`
		Kind       string             `json:"kind"`
		Source     string             `json:"source,omitempty"`
		Ledger     string             `json:"ledger,omitempty"`
		Generation int64              `json:"generation,omitempty"`
		System     *written           `json:"system,omitempty"`
		Omitted    int                `json:"omitted,omitempty"`
		Profiles   []model.QoSProfile `json:"profiles,omitempty"`
	}
	named struct {
		Name   string `json:"name"`
		Cgroup string `json:"cgroup,omitempty"`
	}
	row struct {
		Source   string   `json:"source,omitempty"`
		Profile  string   `json:"profile"`
		Priority int      `json:"priority,omitempty"`
		Hold     bool     `json:"hold,omitempty"`
		CPU      *rangeOf `json:"cpu,omitempty"`
		Memory   *rangeOf `json:"memory,omitempty"`
		Reserved *written `json:"reserved,omitempty"`
	}
	rangeOf struct {
		Request string `json:"request,omitempty"`
		Limit   string `json:"limit,omitempty"`
	}
	written struct {
		CPU     string `json:"cpu,omitempty"`
		Memory  string `json:"memory,omitempty"`
		Network string `json:"network,omitempty"`
		Disk    string `json:"disk,omitempty"`
	}
)

// Encode writes a plan that [Parse] reads back: JSON with a line for each workload, in the
// order given. Equal plans give equal bytes. What a document has no room for is left out,
// the least important first, and counted.
func Encode(plan Plan) []byte {
	h := heading{APIVersion: APIVersion, Kind: Kind, Source: plan.Source, Ledger: plan.Ledger, Generation: plan.Generation, System: writtenAs(plan.System), Profiles: ownProfiles(plan.Workloads)}
	room := mostEncoded - len(h.encode())
	rows, n := make([][]byte, len(plan.Workloads)), 0
	for _, i := range byImportance(plan.Workloads) {
		row := plan.Workloads[i].encode()
		if room -= len(row) + 2; room < 0 || n == maxWorkloads {
			break
		}
		rows[i] = row
		n++
	}
	h.Omitted = plan.Omitted + len(rows) - n
	var b bytes.Buffer
	b.Write(bytes.TrimSuffix(h.encode(), []byte("\n}\n")))
	b.WriteString(",\n  \"workloads\": [")
	separator := "\n"
	for _, row := range rows {
		if row != nil {
			b.WriteString(separator)
			b.Write(row)
			separator = ",\n"
		}
	}
	b.WriteString("\n  ]\n}\n")
	return b.Bytes()
}

// ownProfiles returns the profiles of workloads that are not as they are built in, by name.
func ownProfiles(workloads []Workload) (own []model.QoSProfile) {
	known := map[string]model.QoSProfile{}
	for _, p := range model.BuiltinQoSProfiles() {
		known[p.Name] = p
	}
	for i := range workloads {
		if p := workloads[i].Profile; known[p.Name] != p {
			known[p.Name] = p
			own = append(own, p)
		}
	}
	slices.SortFunc(own, func(a, b model.QoSProfile) int { return cmp.Compare(a.Name, b.Name) })
	return own
}

func (h heading) encode() []byte {
	b, _ := json.MarshalIndent(h, "", "  ") // of these types nothing fails
	return append(b, '\n')
}

func (w *Workload) encode() []byte {
	r := row{
		Source: w.Source, Profile: w.Profile.Name, Priority: w.Priority, Hold: w.Hold,
		CPU: rangeAs("cpu", w.Request.CPU, w.Limit.CPU), Memory: rangeAs("memory", w.Request.Memory, w.Limit.Memory),
		Reserved: writtenAs(w.Reserved),
	}
	start, _ := json.Marshal(named{w.Name, w.Cgroup})
	rest, _ := json.Marshal(r)
	b := append([]byte("    "), bytes.TrimSuffix(start, []byte("}"))...)
	if w.Selector != nil {
		selector, _ := json.Marshal(w.Selector)
		b = append(fmt.Appendf(b, ",%q:", w.Selector.Field()), selector...)
	}
	return append(append(b, ','), bytes.TrimPrefix(rest, []byte("{"))...)
}

func rangeAs(resource string, request, limit int64) *rangeOf {
	if request == 0 && limit == 0 {
		return nil
	}
	return &rangeOf{amountAs(resource, request), amountAs(resource, limit)}
}

func writtenAs(r model.Resources) *written {
	w := written{amountAs("cpu", r.CPU), amountAs("memory", r.Memory), amountAs(model.NetworkResource, r.Get(model.NetworkResource)), amountAs(model.DiskResource, r.Get(model.DiskResource))}
	if w == (written{}) {
		return nil
	}
	return &w
}

func amountAs(resource string, n int64) string {
	if n == 0 {
		return ""
	}
	return model.FormatAmount(resource, n)
}

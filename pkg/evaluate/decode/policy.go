package decode

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
)

// effectiveDoc is schema.#Effective: the policy in force after a layer.
type effectiveDoc struct {
	model.Policy
	Owner  string `json:"owner"`
	Limits struct {
		MaxReplicas     int         `json:"maxReplicas"`
		PriorityCeiling int         `json:"priorityCeiling"`
		MaxShare        json.Number `json:"maxShare"`
		Grace           string      `json:"grace"`
	} `json:"limits"`
	Images struct {
		Registries []string `json:"registries"`
		Pattern    string   `json:"pattern"` // for the schema
	} `json:"images"`
	Overcommit struct {
		CPU    json.Number `json:"cpu"`
		Memory json.Number `json:"memory"`
	} `json:"overcommit"`

	MinRuntime    string      `json:"minRuntime"`
	RestoreHold   string      `json:"restoreHold"`
	RestoreMargin json.Number `json:"restoreMargin"`
	ReserveAfter  string      `json:"reserveAfter"`

	Egress struct {
		Hosts []string `json:"hosts"`
		URL   string   `json:"url"` // for the schema
	} `json:"egress"`
	Adopt   bool `json:"adopt"` // for the schema
	Network struct {
		Egress []string `json:"egress"`
	} `json:"network"`
	Secrets secretsDoc `json:"secrets"`

	Defined struct {
		Components []string `json:"components"`
		Traits     []string `json:"traits"`
		Steps      []string `json:"steps"`
	} `json:"defined"`
	Defaults struct {
		Replicas      int    `json:"replicas"`
		Priority      int    `json:"priority"`
		Strategy      string `json:"strategy"`
		StartDeadline string `json:"startDeadline"`
		UnreadyAfter  string `json:"unreadyAfter"`
		Requests      struct {
			CPU    string `json:"cpu"`
			Memory string `json:"memory"`
		} `json:"requests"`
		Runtime string `json:"runtime"` // for the schema
	} `json:"defaults"`
}

// policyDoc has the parts of the layers above that an application is evaluated under: the
// policy in force, and what they define.
type policyDoc struct {
	effectiveDoc
	Definitions layer.Definitions `json:"definitions"`
}

// policy returns the effective policy of a tenant or of the platform.
func (d *effectiveDoc) policy() model.Policy {
	p := d.Policy
	p.MaxReplicas, p.PriorityCeiling, p.MaxShare = d.Limits.MaxReplicas, d.Limits.PriorityCeiling, int(parts(d.Limits.MaxShare, thousandth))
	p.Registries = d.Images.Registries
	p.OvercommitCPU, p.OvercommitMem = int(parts(d.Overcommit.CPU, thousandth)), int(parts(d.Overcommit.Memory, thousandth))
	p.MaxGrace = duration(d.Limits.Grace)
	p.Egress, p.Exits, p.Accounts = d.Egress.Hosts, d.Network.Egress, d.Secrets.Annotations
	p.MinRuntime, p.RestoreHold, p.ReserveAfter = duration(d.MinRuntime), duration(d.RestoreHold), duration(d.ReserveAfter)
	p.RestoreMargin = int(parts(d.RestoreMargin, thousandth))
	p.Conflicts, p.Immutable = unless(p.Conflicts, model.ConflictsCorrect), unless(p.Immutable, model.ImmutableRefuse)
	p.Backfill, p.Flavours = unless(p.Backfill, model.BackfillReserve), unless(p.Flavours, model.FlavoursFirstFree)
	p.PriorityClaims = unless(p.PriorityClaims, model.ClaimsFull)
	p.Replicas, p.Priority, p.Strategy = d.Defaults.Replicas, d.Defaults.Priority, d.Defaults.Strategy
	p.StartDeadline, p.UnreadyAfter = duration(d.Defaults.StartDeadline), unless(duration(d.Defaults.UnreadyAfter), model.UnreadyAfter)
	requests := resourcesDoc{CPU: d.Defaults.Requests.CPU, Memory: d.Defaults.Requests.Memory}
	p.DefaultRequests, _ = requests.resources() // the schema has checked them; what is too large to count is none

	for _, list := range []*[]string{ // the ladder stays in the order written
		&p.Registries, &p.Runtimes, &p.Kinds, &p.RequiredLabels, &p.Strategies, &p.Egress, &p.Exits, &p.Accounts,
		&p.Existing.Configs, &p.Existing.Claims, &p.Existing.Gateways, &p.Rights, &p.Reading, &p.RuntimeClasses,
	} {
		*list = sorted(*list)
	}
	return p
}

// unless returns a value, and leaves out the one that holds without it, so that specs that do
// not write it have the digests that they had before there was one.
func unless[T comparable](value, holds T) T {
	if value == holds {
		var none T
		return none
	}
	return value
}

// policyPaths are the values of a policy in the order in which people read it.
var policyPaths = []string{
	"limits.maxReplicas", "limits.priorityCeiling", "limits.maxShare", "limits.grace",
	"images.registries", "runtimes", "kinds", "namespace", "overcommit.cpu", "overcommit.memory",
	"preemption", "degradation", "requests", "requiredLabels", "strategies", "onUpdateFailure", "deletion", "conflicts", "immutable",
	"ladder", "minRuntime", "restoreHold", "restoreMargin", "reserveAfter", "backfill", "flavours", "priorityClaims", "egress.hosts", "network.egress",
	"secrets.names", "secrets.literals", "secrets.existing", "secrets.stores", "secrets.annotations",
	"existing.configs", "existing.claims", "existing.gateways", "rights", "clusterRights", "runtimeClasses", "hostProcess",
	"defaults.replicas", "defaults.priority", "defaults.strategy", "defaults.startDeadline", "defaults.unreadyAfter",
	"defaults.requests.cpu", "defaults.requests.memory",
}

// inForce lists the values of the effective policy of a tenant, or of the platform (""), as written,
// with the layer that set each. The layers are given from the platform down.
func inForce(effective []byte, tenant string, layers ...*layer.Layer) (values []model.PolicyValue) {
	for _, path := range policyPaths {
		v := model.PolicyValue{Path: path, Value: asText(gjson.GetBytes(effective, path))}
		v.Layer, v.At = setBy(path, tenant, layers)
		values = append(values, v)
	}
	return values
}

// asText writes a value of a policy, a list with commas.
func asText(value gjson.Result) string {
	switch {
	case value.Type == gjson.String:
		return value.Str
	case !value.IsArray():
		return value.Raw
	}
	var texts []string
	for _, element := range value.Array() {
		texts = append(texts, asText(element))
	}
	return strings.Join(texts, ", ")
}

// setBy returns the nearest layer that writes a policy value, and the place. The quota of
// a tenant and its allotment can also lower its priority ceiling.
func setBy(path, tenant string, layers []*layer.Layer) (name, at string) {
	ceiling := map[string]string{"tenant": "tenant.quota.priorityCeiling", "platform": allotmentOf(tenant) + ".priorityCeiling"}
	for _, l := range slices.Backward(layers) {
		at, ok := l.Value(l.Field + ".policy." + path)
		if lower, too := l.Value(ceiling[l.Field]); path == "limits.priorityCeiling" && too && (!ok || l.Field == "platform") {
			at, ok = lower, true
		}
		if ok {
			return l.Field, at
		}
	}
	return "schema", ""
}

// Choices are the choices of an application within its tenant's policy.
type Choices struct {
	Degradation     *bool                 `json:"degradation"`
	Preemption      model.Preemption      `json:"preemption"`
	Strategy        string                `json:"strategy"`
	OnUpdateFailure model.OnUpdateFailure `json:"onUpdateFailure"`
	StartDeadline   string                `json:"startDeadline"`
	UnreadyAfter    string                `json:"unreadyAfter"`
	Ladder          []string              `json:"ladder"`
	Flavours        model.FlavourOrder    `json:"flavours"`
	PriorityClaims  model.PriorityClaims  `json:"priorityClaims"`
}

// Within returns the tenant's policy with the application's choices in it, and the values in force
// with those that the application writes. No choices (nil) return what they are given.
func (d *Choices) Within(tenant *model.Policy, inForce []model.PolicyValue, own *layer.Layer) (*model.Policy, []model.PolicyValue) {
	if d == nil {
		return tenant, inForce
	}
	p, inForce := new(*tenant), slices.Clone(inForce)
	// chosen takes the value of a path in if the application writes it, by the last name of the path.
	chosen := func(path, value string) bool {
		if value == "" {
			return false
		}
		if v, ok := model.Find(inForce, path); ok {
			at, _ := own.Value("application.policy." + path[strings.LastIndexByte(path, '.')+1:])
			*v = model.PolicyValue{Path: path, Value: value, Layer: "application", At: at}
		}
		return true
	}
	if d.Degradation != nil {
		p.Degradation = *d.Degradation
		chosen("degradation", fmt.Sprint(p.Degradation))
	}
	if chosen("preemption", string(d.Preemption)) {
		p.Preemption = d.Preemption
	}
	if chosen("defaults.strategy", d.Strategy) {
		p.Strategy = d.Strategy
	}
	if chosen("onUpdateFailure", string(d.OnUpdateFailure)) {
		p.OnUpdateFailure = d.OnUpdateFailure
	}
	if chosen("defaults.startDeadline", d.StartDeadline) {
		p.StartDeadline = duration(d.StartDeadline)
	}
	if chosen("defaults.unreadyAfter", d.UnreadyAfter) {
		p.UnreadyAfter = unless(duration(d.UnreadyAfter), model.UnreadyAfter)
	}
	if chosen("ladder", strings.Join(d.Ladder, ", ")) {
		p.Ladder = d.Ladder
	}
	if chosen("flavours", string(d.Flavours)) {
		p.Flavours = unless(d.Flavours, model.FlavoursFirstFree)
	}
	if chosen("priorityClaims", string(d.PriorityClaims)) {
		p.PriorityClaims = unless(d.PriorityClaims, model.ClaimsFull)
	}
	return p, inForce
}

// sorted returns a sorted copy without repetitions, nil if it is empty.
func sorted(s []string) []string {
	if len(s) == 0 {
		return nil
	}
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}

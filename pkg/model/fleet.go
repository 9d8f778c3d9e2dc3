package model

import (
	"fmt"
	"strings"
	"time"
)

// Fleet is what one commit of the fleet repo declares, after evaluation: the
// parts that are valid, and for the rest what is wrong with it.
type Fleet struct {
	Commit       string         // the source commit
	Platform     *Platform      // nil if the platform layer is invalid
	Tenants      []Tenant       // valid tenants
	Applications []*Application // valid applications of valid tenants; fleets share them: never change one

	// Unusable are the applications that Git declares but that cannot be used
	// as declared: their own files, their tenant or the platform are invalid,
	// or their removal awaits confirmation. They stay at their last good state.
	Unusable []Unusable

	// UnusableTenants are the tenants that Git declares with invalid files.
	UnusableTenants []string

	Problems []Problem // everything that is wrong, in order of file and line

	// Incomplete says that a part of the files could not be read, so that what
	// is absent here is not known to be absent in Git: nothing may be removed.
	Incomplete bool
}

// Unusable is an application that stays at its last good state, and why.
type Unusable struct {
	App     AppID
	Message string // the first problem, in one line
	Code    string // its code, DAnnnn
	MovesTo AppID  // the application that Git has in its place, zero if it does not move
}

// Problem is an error in the fleet repo: it blames the input, so it is reported
// and not retried before the next commit.
type Problem struct {
	Code    string  `json:"code"`             // DAnnnn, see docs/errors.md
	Path    string  `json:"path,omitempty"`   // application.components.web.replicas
	Message string  `json:"message"`          // a sentence: asked, allowed, by whom
	Places  []Place `json:"places,omitempty"` // where, the blamed side first
	Tenant  string  `json:"tenant,omitempty"` // whose file it is; "" for the platform
	App     string  `json:"application,omitempty"`
}

// Place is a position in a file of the fleet repo and what stands there.
type Place struct {
	At   string `json:"at"`             // file:line:column, from the repo's root
	Note string `json:"note,omitempty"` // "asks for 9"
}

// Positions are where the values of one layer were written: dotted path
// below the layer's field ("quota.cpu", "components.web.replicas") to
// file:line:column. Paths that were not written (defaults) are absent.
type Positions map[string]string

// Platform is the global layer.
type Platform struct {
	Name     string       `json:"name"`
	Policy   Policy       `json:"policy"`
	Pools    []PoolSpec   `json:"pools"`
	Bands    []Band       `json:"bands"` // highest first
	Profiles []QoSProfile `json:"profiles"`

	Allotments   []Allotment   `json:"allotments,omitempty"`   // by name; what a Tenant does not have of its own
	Groups       []Group       `json:"groups,omitempty"`       // by name
	Reservations []Reservation `json:"reservations,omitempty"` // by name; tenants have their own

	HalfLife time.Duration `json:"historyHalfLife,omitzero"` // of past use (policy.history), 0: weights do not follow it

	Network Network `json:"network,omitzero"`
	Links   Links   `json:"links,omitzero"`

	Access  *Access       `json:"access,omitempty"` // nil: not declared
	At      Positions     `json:"-" cbor:"at,omitempty"`
	InForce []PolicyValue `json:"-" cbor:"inForce,omitempty"` // the values of Policy
}

// Allotment is what the platform gives a tenant of what all share outside its namespaces,
// and which namespaces it may have.
type Allotment struct {
	Name        string   `json:"name"`                 // of the tenant
	Namespaces  []string `json:"namespaces,omitzero"`  // patterns, without the prefix of the cluster; nil: those of its name
	Hosts       []string `json:"hosts,omitzero"`       // that its applications may serve; nil: all that belong to nobody
	Classes     []string `json:"classes,omitzero"`     // of what leads requests to it; nil: all
	Annotations []string `json:"annotations,omitzero"` // of the same; nil: none
	Services    []string `json:"services,omitzero"`    // types besides ClusterIP that its Services may have

	Work time.Duration `json:"work,omitzero"` // CPU time of its evaluations, 0: Work
}

// Work is the CPU time that the evaluations of a tenant may take where its allotment says
// nothing.
const Work = 10 * time.Second

// PoolSpec declares a resource pool: a logical view over execution nodes.
type PoolSpec struct {
	Name        string            `json:"name"`
	Cluster     string            `json:"cluster,omitempty"` // that has its nodes; "": the first one of the reconciler
	OS          []string          `json:"os"`
	Runtimes    []string          `json:"runtimes"`
	Selector    map[string]string `json:"selector,omitempty"` // labels of the nodes; capacity is discovered from them …
	Capacity    *Resources        `json:"capacity,omitempty"` // … or declared
	Shares      map[string]int64  `json:"shares,omitempty"`   // made of each device; Capacity has them in its place
	TopologyKey string            `json:"topologyKey,omitempty"`
	Price       Price             `json:"price"`
}

// InCluster says in which cluster the nodes of the pool are.
func (p *PoolSpec) InCluster() string {
	if p.Cluster == "" {
		return "the first cluster"
	}
	return "cluster " + p.Cluster
}

// Price is in millionths of the fleet's currency: per core-hour and per GiB-hour.
type Price struct {
	CPU    int64 `json:"cpu,omitempty"`
	Memory int64 `json:"memory,omitempty"`
}

// Band is a named range of priorities. A higher band is served first.
type Band struct {
	Name string `json:"name"`
	Min  int    `json:"min"` // the lowest priority of the band
}

// BandOf returns the rank of the band of a priority: 0 is the highest, len(p.Bands) is
// below them all.
func (p *Platform) BandOf(priority int) (rank int) {
	for i := range p.Bands {
		if p.Bands[i].Min > priority {
			rank++
		}
	}
	return rank
}

// Policy is the effective policy of one layer: every value within what the
// layers above allow, defaults of the nearest layer filled in.
type Policy struct {
	MaxReplicas     int             `json:"maxReplicas"`
	PriorityCeiling int             `json:"priorityCeiling"`
	MaxShare        int             `json:"maxShare"` // thousandths of a pool that one application may take
	Registries      []string        `json:"registries,omitempty"`
	Runtimes        []string        `json:"runtimes"`
	Kinds           []string        `json:"kinds"`         // object kinds that raw, kustomize and helm components may render
	Namespace       string          `json:"namespace"`     // tenant | application: whose namespace objects land in
	OvercommitCPU   int             `json:"overcommitCPU"` // thousandths of discovered capacity, at least 1000
	OvercommitMem   int             `json:"overcommitMemory"`
	Preemption      Preemption      `json:"preemption"`
	Degradation     bool            `json:"degradation"`
	RequiredLabels  []string        `json:"requiredLabels,omitempty"`
	Strategies      []string        `json:"strategies"`
	Strategy        string          `json:"strategy"`
	OnUpdateFailure OnUpdateFailure `json:"onUpdateFailure"`

	MaxGrace  time.Duration `json:"maxGrace,omitempty"`      // most that Lifecycle.Grace may be
	Deletion  Deletion      `json:"deletion,omitempty"`      // whether volumes may be deleted
	Conflicts Conflicts     `json:"conflicts,omitempty"`     // "": ConflictsCorrect
	Immutable Immutable     `json:"immutable,omitempty"`     // "": ImmutableRefuse
	Egress    []string      `json:"egress,omitempty"`        // hosts that steps of workflows may call; *.example.com is every host below
	Exits     []string      `json:"exits,omitempty"`         // addresses that pods of locked tenants may call: 203.0.113.0/24:443, as ParseExit reads them
	Accounts  []string      `json:"accounts,omitempty"`      // annotations that service accounts may have: key=value, with *
	Existing  Existing      `json:"existing,omitzero"`       // what others made and components may name
	Rights    []string      `json:"rights,omitempty"`        // what pods may do on the API server: "get pods"; "read pods" is get, list and watch
	Reading   []string      `json:"clusterRights,omitempty"` // what pods may read of the whole cluster, written like Rights

	RuntimeClasses []string `json:"runtimeClasses,omitempty"` // that components may name, with *
	HostProcess    bool     `json:"hostProcess,omitempty"`    // components may run on Windows nodes themselves

	// Ladder is the order in which an application is degraded: qos, optional
	// (components that are not critical), replicas.
	Ladder        []string      `json:"ladder,omitempty"`
	MinRuntime    time.Duration `json:"minRuntime,omitempty"`    // time that an application runs before it may lose its place
	RestoreHold   time.Duration `json:"restoreHold,omitempty"`   // time that an application stays degraded before it is restored
	RestoreMargin int           `json:"restoreMargin,omitempty"` // thousandths of a pool that stay free after restoring
	ReserveAfter  time.Duration `json:"reserveAfter,omitempty"`  // time of waiting after which free capacity is kept for an application
	Backfill      Backfill      `json:"backfill,omitempty"`      // "": BackfillReserve
	Flavours      FlavourOrder  `json:"flavours,omitempty"`      // "": FlavoursFirstFree

	PriorityClaims PriorityClaims `json:"priorityClaims,omitempty"` // "": ClaimsFull

	Replicas      int           `json:"defaultReplicas"`
	Priority      int           `json:"defaultPriority"`
	StartDeadline time.Duration `json:"startDeadline"`
	UnreadyAfter  time.Duration `json:"unreadyAfter,omitempty"` // time that a critical component may be unready; 0: the default, UnreadyAfter

	Requests        RequestsRule `json:"requests,omitempty"`       // "" in records that are older than the rule
	DefaultRequests Resources    `json:"defaultRequests,omitzero"` // of a replica of a component that writes none
}

// Existing has the names of what others made and components may name, with *.
type Existing struct {
	Configs  []string `json:"configs,omitempty"`  // ConfigMaps of the namespace
	Claims   []string `json:"claims,omitempty"`   // claims for volumes of the namespace
	Gateways []string `json:"gateways,omitempty"` // of the Gateway API: namespace/name
}

// IsZero reports whether components may name nothing that others made.
func (e Existing) IsZero() bool { return len(e.Claims)+len(e.Configs)+len(e.Gateways) == 0 }

// UnreadyAfter is how long a critical component may be unready where policy says nothing
// else.
const UnreadyAfter = 30 * time.Second

// Backfill is whether an application may take what is promised to another one, if it ends before.
type Backfill string

// Values of Backfill.
const (
	BackfillReserve Backfill = "reserve" // it may
	BackfillOff     Backfill = "off"     // nobody passes who has a reservation
)

// PriorityClaims is how much of an application its priority is for, within its tenant.
type PriorityClaims string

// Values of PriorityClaims.
const (
	ClaimsFull    PriorityClaims = "full"
	ClaimsMinimum PriorityClaims = "minimum" // what it runs beyond its minimum takes from nobody for its priority
)

// ClaimsMinimum reports whether a priority is for no more than the minimum of an application.
func (p *Policy) ClaimsMinimum() bool { return p.PriorityClaims == ClaimsMinimum }

// Conflicts is what becomes of fields of our objects that others change.
type Conflicts string

// Values of Conflicts.
const (
	ConflictsCorrect Conflicts = "correct" // they are put back
	ConflictsReport  Conflicts = "report"  // they stay, and are named
)

// Immutable is what becomes of an object of which a field differs that cannot be changed.
type Immutable string

// Values of Immutable.
const (
	ImmutableRefuse   Immutable = "refuse"   // it stays as it is, and is named
	ImmutableRecreate Immutable = "recreate" // it is deleted and made anew, unless data may go with it
)

// RequestsRule is whether a component may leave out its requests.
type RequestsRule string

const (
	RequestsDefaulted RequestsRule = "defaulted" // it has the default of its policy
	RequestsRequired  RequestsRule = "required"
)

// Preemption is which other applications an application may displace.
type Preemption string

const (
	PreemptionNone         Preemption = "none"
	PreemptionWithinTenant Preemption = "within-tenant"
	PreemptionReclaim      Preemption = "reclaim" // and other tenants that borrow
	PreemptionAny          Preemption = "any"
)

// OnUpdateFailure is what happens to an update that does not start.
type OnUpdateFailure string

const (
	OnUpdateFailureRollback OnUpdateFailure = "rollback"
	OnUpdateFailureHold     OnUpdateFailure = "hold" // it stays as it is
)

// PolicyValue is one effective policy value and the layer that set it.
type PolicyValue struct {
	Path  string `json:"path"`  // limits.maxReplicas
	Value string `json:"value"` // as written
	Layer string `json:"layer"` // schema | platform | tenant | application
	At    string `json:"at,omitempty"`
}

// Tenant is the first boundary of arbitration and access.
type Tenant struct {
	Name            string            `json:"name"`
	Weight          int               `json:"weight"`
	Guarantee       Resources         `json:"guarantee"`
	Borrow          *Resources        `json:"borrow,omitempty"`          // most that it may use beyond its guarantee, nil: no limit
	Lend            *Resources        `json:"lend,omitempty"`            // most of its unused guarantee that others may use, nil: all
	Reservations    []Reservation     `json:"reservations,omitempty"`    // for its applications, out of its guarantee
	Quota           *Resources        `json:"quota,omitempty"`           // nil: no ceiling of resources
	PoolQuotas      []PoolQuota       `json:"poolQuotas,omitempty"`      // by pool
	MaxApplications int               `json:"maxApplications,omitempty"` // 0: no ceiling
	MaxWorkloads    int               `json:"maxWorkloads,omitempty"`    // components, 0: no ceiling
	PriorityCeiling int               `json:"priorityCeiling"`
	Hosts           []string          `json:"hosts,omitzero"` // that it keeps of those of its allotment; nil: all
	Isolation       Isolation         `json:"isolation,omitempty"`
	PodSecurity     PodSecurity       `json:"podSecurity,omitempty"`
	Policy          Policy            `json:"policy"`
	Pins            map[string]string `json:"pins,omitempty"`   // application name to source commit
	Access          *Access           `json:"access,omitempty"` // nil: not declared
	At              Positions         `json:"-" cbor:"at,omitempty"`
	InForce         []PolicyValue     `json:"-" cbor:"inForce,omitempty"` // the values of Policy
}

// String writes p for people: code, path and sentence, and below the places.
func (p Problem) String() string {
	var b strings.Builder
	b.WriteString(p.Code)
	if p.Path != "" {
		b.WriteString(" " + p.Path + ":")
	}
	b.WriteString(" " + p.Message)
	width := 0
	for _, place := range p.Places {
		width = max(width, len(place.At))
	}
	for _, place := range p.Places {
		b.WriteString(strings.TrimRight(fmt.Sprintf("\n  %-*s   %s", width, place.At, place.Note), " "))
	}
	return b.String()
}

// Line writes p as the reason why an application is unusable: the path, the sentence and
// the first place.
func (p Problem) Line() string {
	s := p.Message
	if p.Path != "" {
		s = p.Path + ": " + s
	}
	if len(p.Places) > 0 {
		s += " (" + p.Places[0].At + ")"
	}
	return s
}

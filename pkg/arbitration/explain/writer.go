package explain

import (
	"cmp"
	"fmt"
	"unique"

	"github.com/d-aros/d-aros/pkg/arbitration/solve"
	"github.com/d-aros/d-aros/pkg/model"
)

// recordedClass are the classes as records name them.
var recordedClass = []model.Standing{solve.WithinGuarantee: model.StandingWithinGuarantee, solve.WithinFairShare: model.StandingWithinFairShare,
	solve.WithinSlack: model.StandingWithinSlack, solve.Borrowing: model.StandingBorrowing}

// Writer writes decisions about the applications of one case. It remembers who
// holds what is short, which several decisions name.
type Writer struct {
	*solve.Case
	holders map[[2]int][]*solve.App   // by pool and resource; see holding
	digests map[*model.Tenant]inForce // the last that was asked for of a tenant; see policyDigest
}

// inForce is a policy and its digest together with the quota of a tenant.
type inForce struct {
	policy *model.Policy
	digest model.Digest
}

// New returns a writer for a solved case.
func New(c *solve.Case) *Writer {
	return &Writer{Case: c, holders: map[[2]int][]*solve.App{}, digests: map[*model.Tenant]inForce{}}
}

// ForgetHolders must be called after applications were granted something or lost
// it.
func (w *Writer) ForgetHolders() { w.holders = map[[2]int][]*solve.App{} }

// All writes all decisions, in the order of applications.
func (w *Writer) All(decisions []model.Decision) {
	for i, app := range w.Apps {
		decisions[i] = w.Decision(app)
	}
}

// Decision records what was decided about an application and why.
func (w *Writer) Decision(app *solve.App) model.Decision {
	d := model.Decision{
		App: app.ID, Verdict: app.Verdict, Reason: app.Reason, Message: app.Message,
		Degraded: app.Granted() && app.Level > 0, Position: app.Position, Grants: app.Grants,
		Refused: app.Refused, EvictAt: app.EvictAt,
		Inputs: model.Inputs{Commit: w.Fleet.Commit, Policy: w.policyDigest(app), Capacity: w.Capacity},
	}
	if app.Spec != nil {
		d.Spec, d.Policies = app.Spec.Digest, app.Spec.InForce
	}
	if n := len(app.Findings); n > 0 {
		d.Constraints = make([]model.Constraint, n, n+len(app.Short))
		for i := range app.Findings {
			d.Constraints[i] = constraint(&app.Findings[i])
		}
	}
	if app.Standing != nil {
		d.Standing = recordedClass[app.Base().Class]
		d.Shares, d.Past = w.shares(app)
	}
	for _, v := range app.Victims {
		d.Displaced = append(d.Displaced, w.displacement(v))
	}
	if app.Lost != nil {
		d.For, d.Message = app.Lost.Preemptor.ID.String(), cmp.Or(d.Message, w.why(app.Lost))
	}
	switch {
	case app.Granted() && app.Level == 0:
		d.Message = cmp.Or(d.Message, unique.Make("everything it asks for is granted"+inPools(app.Grants)).Value()) // most say the same
	case app.Granted():
		d.Message = cmp.Or(d.Message, "granted less than it asks for, "+app.Levels[app.Level].Cut.String()+inPools(app.Grants))
		if short := w.Sentence(app.Short); short != "" {
			d.Message += "; in full it " + short
			if app.Policy().ClaimsMinimum() {
				d.Message += ", and takes that from no lower priority (priorityClaims: minimum)"
			}
		}
		w.nameAhead(&d, app)
	case app.Verdict == model.VerdictWaiting:
		for _, s := range app.Short {
			d.Constraints = append(d.Constraints, w.shortConstraint(s))
		}
		d.Message = fmt.Sprintf("waits for capacity, number %d in the line of its tenant", app.Position)
		if short := w.Sentence(app.Short); short != "" {
			d.Message += "; it " + short
		}
		if why := w.obstacle(app); why != "" {
			d.Message += "; " + why
		}
		d.Takes = w.taking(app.Takes)
		if app.Starts != nil {
			d.Starts = w.forecast(app.Starts)
			d.Message += "; " + starts(d.Starts, w.Now)
		}
		w.nameAhead(&d, app)
	}
	w.namePassed(&d, app)
	nameDomain(&d, app)
	w.nameShares(&d, app)
	return d
}

// shares are the dominant shares of the application's tenant and of the groups
// above it, in thousandths of all capacity, and what these had, nil if weights do not follow it.
func (w *Writer) shares(app *solve.App) (shares []model.TenantShare, past []model.PastShare) {
	for i := app.Tenant; i > 0; i = w.Nodes[i].Parent {
		n := w.Nodes[i]
		shares = append(shares, model.TenantShare{Of: n.Name, Used: thousandths(n.Used.Dominant(w.Total)), Guaranteed: thousandths(n.Guarantee.Dominant(w.Total)),
			FairShare: thousandths(n.FairShare), Weight: int(n.Declared)})
		if w.HalfLife > 0 {
			used, factor := w.Past(n)
			past = append(past, model.PastShare{Of: n.Name, Used: thousandths(used), Weight: int(n.Declared), Scaled: int(n.Declared) * factor})
		}
	}
	return shares, past
}

// policyDigest identifies the policy and the quota that a decision was made under.
func (w *Writer) policyDigest(app *solve.App) model.Digest {
	policy := &model.Policy{}
	if app.Spec != nil {
		policy = app.Spec.Policy
	}
	t := w.Nodes[app.Tenant].Tenant
	if last, ok := w.digests[t]; ok && last.policy.Equal(policy) { // most applications of a tenant have the same
		return last.digest
	}
	parts := []any{*policy, t.Quota, t.MaxApplications, t.MaxWorkloads, t.PriorityCeiling}
	if t.PoolQuotas != nil {
		parts = append(parts, t.PoolQuotas)
	}
	digest := model.DigestOf(parts)
	w.digests[t] = inForce{policy, digest}
	return digest
}

// thousandths writes a share in thousandths of all capacity.
func thousandths(s solve.Share) int {
	return int((min(s, 1000*solve.Whole)*1000 + solve.Whole/2) / solve.Whole)
}

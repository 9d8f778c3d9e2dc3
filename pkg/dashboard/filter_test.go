package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/announce"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/plan"
	"github.com/d-aros/d-aros/pkg/view"
	"github.com/d-aros/d-aros/test/arbitration/generate"
	"github.com/d-aros/d-aros/test/arbitration/world"
	"github.com/d-aros/d-aros/test/tier"
)

// asks lets everybody in as the one that a header names.
type asks struct{}

func (asks) Who(r *http.Request) (access.Identity, error) {
	return access.Identity{User: r.Header.Get("Test-User")}, nil
}

// crowd is a random fleet in which every name of an application, a component, an image and a person is that of one tenant only. It is a
// branch of several commits, and answers questions by deciding anew.
type crowd struct {
	memory
	worked
	w *world.World
}

func newCrowd(rng *rand.Rand, tenants, apps int) *crowd {
	w := generate.Random(rng, generate.Everything(tenants, apps))
	w.Advises = true
	for _, a := range slices.Clone(w.Fleet.Applications) {
		own := *a
		own.Components = slices.Clone(a.Components)
		for i := range own.Components {
			own.Components[i].Name += "-of-" + a.ID.Name
		}
		w.Declare(own)
	}
	c := &crowd{w: w}
	for n := range 4 {
		w.Round()
		w.Now = w.Now.Add(time.Minute)
		if n == 2 { // one that the newest commit does not know any more, and who may have been ahead of others
			gone := w.Fleet.Applications[0].ID.Tenant
			w.Fleet.Tenants = slices.DeleteFunc(slices.Clone(w.Fleet.Tenants), func(t model.Tenant) bool { return t.Name == gone })
			for _, a := range slices.Clone(w.Fleet.Applications) {
				if a.ID.Tenant == gone {
					w.Remove(a.ID)
				}
			}
		}
		c.push(Moment{Commit: commit(byte(n)), Time: w.Now, Ledger: c.ledger(rng)})
	}
	return c
}

// ledger is what the branch says now, with what goes wrong in a fleet.
func (c *crowd) ledger(rng *rand.Rand) *model.Ledger {
	l := c.w.Ledger
	l.Commit, l.Platform, l.Pools = "c0ffee", c.w.Fleet.Platform, c.w.Seen.Pools
	l.Instances, l.Decisions = slices.Clone(l.Instances), slices.Clone(l.Decisions)
	l.Tenants = slices.Clone(c.w.Fleet.Tenants)
	for i := range l.Tenants {
		t := &l.Tenants[i]
		t.Access = &model.Access{
			Principals: []model.Principal{{Name: "boss", Login: fmt.Sprintf("boss-%d", i), Handle: "@boss-of-" + t.Name}}, Admins: []string{"boss"},
			Viewers: []string{fmt.Sprintf("user:reader-%d", i/2)},
		}
		at := "tenants/" + t.Name + "/tenant.cue:3:4"
		l.Problems = append(l.Problems,
			model.Problem{Code: "DA1301", Tenant: t.Name, Path: "tenant.quota", Message: "is wider than that of tenant " + t.Name, Places: []model.Place{{At: at}}},
			model.Problem{Code: "DA1501", Path: "platform.groups", Message: "has tenant " + t.Name + ", which is in group x already", Places: []model.Place{{At: at, Note: "tenant " + t.Name}}})
		l.OverQuota = append(l.OverQuota, model.OverQuota{Tenant: t.Name, Resource: "cpu", Granted: 2, Limit: 1, At: at})
	}
	for i := range l.Instances {
		in := &l.Instances[i]
		if other := l.Instances[rng.IntN(len(l.Instances))].App; rng.IntN(3) == 0 {
			in.Outcomes = []model.Outcome{{Object: "Ingress " + in.App.Tenant + "/web", Reason: model.OutcomeConflict,
				Message: fmt.Sprintf("the host x.example.com is that of %s (tenants/%s/apps/%s/app.cue:7:2), an application of tenant %s, and of tenants %s and %s", other, other.Tenant, other.Name, other.Tenant, in.App.Tenant, other.Tenant)}}
		}
		if other := l.Instances[rng.IntN(len(l.Instances))]; rng.IntN(3) == 0 && in.Spec != nil && other.Spec != nil { // names with a slash
			own, theirs := in.Spec.Components[0].Name, other.Spec.Components[0].Name
			in.Outcomes = append(in.Outcomes, model.Outcome{Object: "Service web", Reason: model.OutcomeConflict,
				Message: fmt.Sprintf("%s/%s connects to %s/%s and to %s, which @org-of-%s/team has", in.App.Name, own, other.App, theirs, other.App, in.App.Tenant)})
		}
		if rng.IntN(4) == 0 {
			l.Orphans = append(l.Orphans, model.Inventory{App: in.App})
		}
	}
	return &l
}

func (c *crowd) Log(context.Context, string, int) (v view.Timeline, err error) {
	for i := len(c.moments) - 1; i > 0; i-- {
		changes := announce.Between(c.moments[i-1].Ledger, c.moments[i].Ledger, c.moments[i].Time)
		v.Commits = append(v.Commits, view.TimelineCommit{Commit: c.moments[i].Commit, Subject: "2 changes: " + c.moments[0].Ledger.Instances[0].App.String() + " Running", Changes: changes, ChangesTotal: len(changes)})
	}
	return v, nil
}

func (c *crowd) History(_ context.Context, _ Moment, app model.AppID, _ int) (all []view.HistoryEntry, err error) {
	for i := 1; i < len(c.moments); i++ {
		changes := announce.Between(c.moments[i-1].Ledger, c.moments[i].Ledger, c.moments[i].Time)
		own := slices.DeleteFunc(changes, func(a announce.Announcement) bool { return a.App != app })
		all = append(all, view.HistoryEntry{Commit: c.moments[i].Commit, Subject: "2 changes", Transitions: own})
	}
	return all, nil
}

func (c *crowd) Follow(context.Context, offline.Recorded, time.Time) error { return nil }

func (c *crowd) Unlooked(string, time.Time) bool { return false }

func (c *crowd) Unchanged(context.Context) bool { return true }

// WhatIf compares with the world in which a tenant has everything.
func (c *crowd) WhatIf(_ context.Context, settings []offline.Setting, _ []offline.Capacity) (plan.Comparison, error) {
	if len(settings) == 2 {
		return plan.Comparison{}, &offline.SettingError{Err: errors.New("the fleet declares no tenant x; did you mean unmet?")}
	}
	l := c.moments[len(c.moments)-1].Ledger
	before := plan.Outcome{Fleet: c.w.Fleet, Ledger: *l}
	after := before
	after.Ledger.Instances, after.Ledger.Decisions = slices.Clone(l.Instances), slices.Clone(l.Decisions)
	for i := range after.Ledger.Instances {
		in := &after.Ledger.Instances[i]
		in.Phase, in.Message, in.Components = model.PhaseAdmitted, "waits for "+l.Instances[0].App.String(), nil
	}
	made := plan.Comparison{Changes: plan.Compare(&before, &after), Notes: []string{"tenant " + l.Tenants[0].Name + " has no valid layer"}, Next: after.Ledger}
	for _, t := range l.Tenants {
		made.Tenants = append(made.Tenants, plan.Tenant{Name: t.Name})
		app := model.AppID{Tenant: t.Name, Name: "app-900"}
		made.Objects = append(made.Objects, plan.ObjectChange{App: app, Owner: app.String(), Kind: "Deployment", Namespace: t.Name, Name: "web", Diff: "+ image: " + t.Name})
		made.Approvals = append(made.Approvals, plan.Approval{App: app, Area: "application " + app.String(), Path: "tenants/" + t.Name + "/x", Who: []string{"@boss-of-" + t.Name}})
	}
	for i := range made.Touched {
		made.Touched[i].Owners = []string{"@boss-of-" + made.Touched[i].Tenant}
	}
	made.Rounds = []plan.Round{{Number: 1, Applications: made.Applications}}
	return made, nil
}

// branches are heads of which each tenant has one, two have one together, and the platform has one.
func (c *crowd) branches() (all []view.Head, touches map[string][]string) {
	tenants := c.moments[len(c.moments)-1].Ledger.Tenants
	touches = map[string][]string{}
	add := func(name string, files ...string) {
		h := view.Head{Name: "topic/" + name, Commit: commit(byte(len(all))), Author: "boss-of-" + name, Subject: "more for " + name}
		all, touches[h.Commit] = append(all, h), files
	}
	for _, t := range tenants {
		add(t.Name, "tenants/"+t.Name+"/apps/x/app.cue", "approvals/"+t.Name+"/")
	}
	add(tenants[0].Name+"-"+tenants[1].Name, "tenants/"+tenants[0].Name+"/tenant.cue", "tenants/"+tenants[1].Name+"/tenant.cue")
	add("all-of-"+tenants[0].Name, "fleet.cue")
	add("nothing-of-" + tenants[0].Name)
	return all, touches
}

func (c *crowd) Heads(context.Context) (view.Heads, error) {
	all, _ := c.branches()
	return view.Heads{Base: "main", Heads: all}, nil
}

func (c *crowd) Find(_ context.Context, name string) (view.Head, string, error) {
	all, _ := c.branches()
	if i := slices.IndexFunc(all, func(h view.Head) bool { return h.Name == name }); i >= 0 {
		return all[i], "base", nil
	}
	return view.Head{}, "", fmt.Errorf("%q names no branch", name)
}

func (c *crowd) Touches(_ context.Context, commits []string) (touched [][]string, err error) {
	_, touches := c.branches()
	for _, commit := range commits {
		touched = append(touched, touches[commit])
	}
	return touched, nil
}

func (c *crowd) Plan(ctx context.Context, _ offline.Recorded, _ time.Time, head string) (plan.Comparison, error) {
	made, err := c.WhatIf(ctx, nil, nil)
	made.Before, made.After = plan.Side{Name: "main"}, plan.Side{Name: head}
	return made, err
}

// editing is where drafts of a crowd are previewed.
type editing struct {
	*desk
	of *crowd
}

func (e editing) Preview(ctx context.Context, _ offline.Draft) (p offline.Preview, err error) {
	p.Commit = commit(1)
	p.Plan, err = e.of.WhatIf(ctx, nil, nil)
	p.Problems = e.of.moments[len(e.of.moments)-1].Ledger.Problems
	return p, err
}

// flowing is an answer whose client leaves after the first event.
type flowing struct {
	*httptest.ResponseRecorder
	leave func()
}

func (f flowing) Write(b []byte) (int, error) {
	if bytes.HasPrefix(b, []byte("id: ")) {
		defer f.leave()
	}
	return f.ResponseRecorder.Write(b)
}

func (flowing) SetWriteDeadline(time.Time) error { return nil }

// streamed returns what a stream sends until the end of its first event.
func (c *client) streamed(path, user string) *httptest.ResponseRecorder {
	ctx, leave := context.WithCancel(c.t.Context())
	defer leave()
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/api/v1/"+path, nil)
	r.Header.Set("Test-User", user)
	w := httptest.NewRecorder()
	c.handler.ServeHTTP(flowing{w, leave}, r)
	return w
}

// TestNoAnswerNamesWhatMayNotBeRead: random fleets and viewers; no byte of any answer has a name of a tenant that the viewer may not read,
// or of something of it, and asking for one is answered as asking for what is not there.
func TestNoAnswerNamesWhatMayNotBeRead(t *testing.T) {
	told, planned, kept := false, false, false
	for seed := range uint64(tier.Count(2, 3, 200)) {
		rng := rand.New(rand.NewPCG(seed, 16))
		c := newCrowd(rng, 3+rng.IntN(3), 10+rng.IntN(14))
		s, _ := newServer(t, c, c)
		s.Gate, s.Proposals, s.Saver, s.viewings = asks{}, c, &saver{}, newViewings(newCluster())
		s.workers = benchesOf(s, &Desk{Questions: c, Plans: c, Drafts: editing{&desk{}, c}})
		newest := c.moments[len(c.moments)-1].Ledger
		first := c.moments[0].Ledger
		for i, tenant := range newest.Tenants {
			for _, user := range []string{fmt.Sprintf("boss-%d", i), fmt.Sprintf("reader-%d", i)} {
				reads := access.NewReaders(newest.Platform, newest.Tenants).Reading(access.Identity{User: user}, began)
				if reads.Nothing() {
					continue
				}
				foreign := foreignNames(c, reads)
				client := stranger(t, s)
				for _, path := range questionsOf(first, newest, c) {
					w := client.get(path, "Test-User", user)
					kept = kept || regexp.MustCompile(`"(app-\d+)/[-a-z0-9]+-of-app-\d+ connects to an application of another tenant`).MatchString(w.Body.String())
					for line := range strings.Lines(w.Body.String()) {
						require.Empty(t, foreign.FindString(line), "seed %d: %s asks for %s, and sees %s", seed, user, path, line)
					}
					if m := regexp.MustCompile(`tenant[s=]/?(tenant-\d)`).FindStringSubmatch(path); m != nil && !reads.Reads(m[1]) {
						none := client.get(strings.ReplaceAll(path, m[1], "nobody"), "Test-User", user)
						require.Equal(t, none.Body.String(), w.Body.String(), path)
						require.Equal(t, none.Header(), w.Header(), path)
						require.Equal(t, none.Code, w.Code, path)
					}
				}
				for name := range strings.SplitSeq(strings.TrimPrefix(strings.TrimSuffix(foreign.String(), `)\b`), `\b(`), "|") {
					found := client.get("applications?q="+name, "Test-User", user)
					require.Equal(t, client.get("applications?q=no-such-thing", "Test-User", user).Body.String(), found.Body.String(), "nobody can search for %s", name)
				}
				own := "tenant." + reads.Tenants[0] + ".weight=2"
				w := client.post("what-if", `{"set":["`+own+`","`+own+`"]}`, "Test-User", user)
				require.Equal(t, http.StatusBadRequest, w.Code)
				require.NotContains(t, w.Body.String(), "unmet")
				for _, set := range []string{"tenant." + tenant.Name + ".weight=2", "application." + newest.Instances[0].App.String() + ".priority=1", "tenant.nobody.weight=2", "platform.x=1"} {
					w := client.post("what-if", `{"set":["`+set+`"]}`, "Test-User", user)
					require.Empty(t, foreign.FindString(w.Body.String()), "%s %s", user, set)
					if w.Code != http.StatusOK {
						require.Equal(t, http.StatusNotFound, w.Code, w.Body)
					}
				}
				branches, touches := c.branches()
				for _, h := range branches {
					may := len(touches[h.Commit]) > 0 && !slices.ContainsFunc(touches[h.Commit], func(path string) bool { return !reads.ReadsFile(path) })
					w := client.get("plan?head="+h.Name, "Test-User", user)
					require.Equal(t, may, strings.Contains(client.get("heads", "Test-User", user).Body.String(), `"`+h.Name+`"`))
					if !may {
						none := client.get("plan?head=x", "Test-User", user)
						require.Equal(t, none.Body.String(), w.Body.String(), "as one that is not there")
						require.Equal(t, none.Header(), w.Header())
						require.Equal(t, http.StatusNotFound, w.Code)
						continue
					}
					require.Equal(t, http.StatusOK, w.Code, w.Body)
					require.Empty(t, foreign.FindString(w.Body.String()), "%s plans %s", user, h.Name)
					planned = planned || strings.Contains(w.Body.String(), "an application of another tenant")
				}
				for _, path := range []string{"stream", "applications/" + newest.Instances[0].App.String() + "/live/stream"} {
					require.Empty(t, foreign.FindString(client.streamed(path, user).Body.String()), "%s follows %s", user, path)
				}
				require.Contains(t, client.streamed("stream", user).Body.String(), "event: tip")
				own = `{"base":"` + commit(1) + `","edits":[{"dir":"tenants/` + reads.Tenants[0] + `","path":["weight"],"op":"set","value":2}]}`
				w = client.post("preview", own, "Test-User", user)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.Empty(t, foreign.FindString(w.Body.String()), "%s previews %s", user, own)
				w = client.post("preview", strings.Replace(own, "tenants/"+reads.Tenants[0], "tenants/nobody", 1), "Test-User", user)
				require.Equal(t, http.StatusNotFound, w.Code)
				w = client.post("what-if", `{"capacity":["pool-0.cpu=+1"]}`, "Test-User", user)
				require.Equal(t, http.StatusOK, w.Code, w.Body)
				require.Empty(t, foreign.FindString(w.Body.String()))
				var made struct{ Touched []plan.Touched }
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &made))
				all, _ := c.WhatIf(t.Context(), nil, nil)
				require.Len(t, made.Touched, len(all.Touched), "numbers stay")
				told = told || strings.Contains(w.Body.String(), "an application of another tenant")
			}
		}
	}
	require.True(t, kept, "the components of one's own applications have their names")
	require.True(t, planned, "the effect of a branch on others, too")
	require.True(t, told, "the effect on others is told without their names")
}

// TestEveryRouteIsFiltered: a route whose path names no tenant has a filter, or the dashboard does not start.
func TestEveryRouteIsFiltered(t *testing.T) {
	s, _ := newServer(t, &memory{moments: []Moment{small(0, "")}}, nil)
	require.NotEmpty(t, s.api().names)
	for pattern, how := range map[string]filter{"GET /api/v1/new": 0, "GET /api/v1/newer": named, "GET /api/v1/new/{tenant}": cut} {
		require.Panics(t, func() { (&routes{http.NewServeMux(), s, nil}).HandleFunc(how, pattern, s.meta) }, pattern)
	}
}

// TestWhoMayReadNothing: who is not named gets no answer but whom to ask, and a dashboard that several people share saves nothing.
func TestWhoMayReadNothing(t *testing.T) {
	m := small(0, "")
	m.Ledger.Platform.Access = &model.Access{
		Principals: []model.Principal{{Name: "ada", Login: "ada"}, {Name: "gone", Revoked: true}}, Admins: []string{"ada", "gone"},
	}
	_, desks := newDesks(1)
	s, _ := newServer(t, &memory{moments: []Moment{m}}, nil)
	s.Gate, s.Saver, s.workers = asks{}, &saver{}, benchesOf(s, desks...)
	c := stranger(t, s)
	for _, pattern := range s.api().names {
		method, path, found := strings.Cut(strings.NewReplacer("{tenant}", "acme", "{app}", "shop").Replace(pattern), " ")
		if !found {
			method, path = http.MethodGet, "/api/v1/nothing"
		}
		refused(t, http.StatusUnauthorized, c.do(method, path, "{}"))
		w := c.do(method, path, "{}", "Test-User", "eve")
		require.Equal(t, http.StatusForbidden, w.Code, pattern)
		require.Contains(t, w.Body.String(), `\"eve\" may read nothing here: ask @ada, or whoever administers your tenant, to name you in access.viewers`)
	}
	require.Equal(t, http.StatusOK, c.get("fleet", "Test-User", "ada").Code)
	require.Contains(t, c.get("meta", "Test-User", "ada").Body.String(), `"user": "ada"`)
	w := c.post("branches", bodyOf(`,"name":"x"`, "1"), "Test-User", "ada")
	require.Equal(t, http.StatusForbidden, w.Code)
	require.Contains(t, w.Body.String(), "several people share this dashboard")
	require.Equal(t, http.StatusNotFound, c.post("session", `{"token":"the-token"}`, "Test-User", "ada").Code, "no token lets in")
	require.Equal(t, http.StatusForbidden, c.post("what-if", ask1, "Test-User", "ada", "Sec-Fetch-Site", "cross-site").Code)
	require.Equal(t, http.StatusMisdirectedRequest, c.get("fleet", "Test-User", "ada", "Host", "evil.example:8421").Code)
}

// foreignNames matches all names of what may not be read, in any commit.
func foreignNames(c *crowd, reads access.Reading) *regexp.Regexp {
	names := map[string]bool{}
	for _, m := range c.moments {
		for _, in := range m.Ledger.Instances {
			if !reads.Reads(in.App.Tenant) {
				names[in.App.Tenant], names[in.App.Name] = true, true
			}
		}
		for _, t := range m.Ledger.Tenants {
			if !reads.Reads(t.Name) {
				names[t.Name] = true
			}
		}
	}
	var list []string
	for name := range names {
		list = append(list, name)
	}
	slices.Sort(list)
	return regexp.MustCompile(`\b(` + strings.Join(append(list, "no-such-name"), "|") + `)\b`)
}

// questionsOf are GET requests about everything in two ledgers.
func questionsOf(first, newest *model.Ledger, c *crowd) []string {
	all := []string{"meta", "fleet", "tenants", "pools", "problems", "timeline", "heads", "plan?head=x", "offers", "schema", "schema/application", "applications?limit=200", "applications?sort=name&after=0/tenant-1/app-003",
		"changes?from=" + c.moments[0].Commit, "changes?from=" + c.moments[1].Commit + "&to=" + c.moments[2].Commit, "fleet?at=" + c.moments[0].Commit, "pools?at=" + c.moments[0].Commit, "nowhere"}
	for _, l := range []*model.Ledger{first, newest} {
		for _, t := range l.Tenants {
			all = append(all, "tenants/"+t.Name, "applications?tenant="+t.Name, "applications?q="+t.Name, "offers?tenant="+t.Name)
		}
		for i := range l.Instances {
			app := l.Instances[i].App
			all = append(all, "applications?q="+app.Name, "source/applications/"+app.String(), "applications/"+app.Tenant+"/nothing")
			for _, of := range []string{"", "/decision", "/run", "/history"} {
				all = append(all, "applications/"+app.String()+of, "applications/"+app.String()+of+"?at="+c.moments[1].Commit)
			}
		}
	}
	return all
}

package pool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/leashed"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/inprocess"
)

// What a tenant has left comes back with the time, and what ends at a limit costs more each
// time, whatever it was.
func TestAccount(t *testing.T) {
	now := time.Unix(1e9, 0)
	var a account
	a.fill(now)
	require.True(t, a.waitedFor())
	a.charge(4*time.Second, 800*time.Millisecond)
	require.Equal(t, 6*time.Second, a.Left)
	require.True(t, a.waitedFor())
	a.charge(200*time.Millisecond, 200*time.Millisecond)
	require.False(t, a.waitedFor(), "a pass waits for one second")
	require.False(t, a.rests(), "it goes on in the background")
	now = now.Add(time.Minute)
	a.fill(now)
	require.Equal(t, model.Work, a.Left, "never more than the budget")
	require.True(t, a.waitedFor())

	for _, left := range []time.Duration{5, -5, -25, -45} { // 5, 10, 20 and 20 s
		a.fail(5*time.Second, 0)
		require.Equal(t, left*time.Second, a.Left)
		require.Equal(t, left < 0, a.rests())
		require.False(t, a.waitedFor())
	}
	now = now.Add(7 * time.Minute)
	a.fill(now)
	require.True(t, a.rests(), "3 s are missing")
	now = now.Add(30 * time.Second)
	a.fill(now)
	require.False(t, a.rests())
	a.jobs = 1
	require.True(t, a.rests(), "one at a time")
	a.jobs = 0
	require.False(t, a.waitedFor(), "not before all is back")
	a.fill(now.Add(100 * time.Second))
	require.True(t, a.waitedFor())
	for range 100 {
		a.fail(5*time.Second, 0)
	}
	a.fill(a.At.Add(time.Hour))
	require.False(t, a.rests(), "no debt is larger than an hour pays")
	a.fill(a.At.Add(-time.Hour))
	require.Zero(t, a.Left, "a clock that goes back takes nothing")
}

// A tenant has the budget of its allotment: it fills in the same time as others, and a
// smaller one holds at once.
func TestAllottedWork(t *testing.T) {
	p := open(t, Options{Budgets: true})
	files := fleetOf(1, "acme", "globex")
	e := evaluate.Through(p)
	allot := func(cpu string) {
		files.put("work.cue", "package fleet\n\nplatform: allotments: acme: work: cpu: \""+cpu+"\"\n")
		require.Empty(t, e.Fleet("c", files, nil).Problems)
	}
	allot("60s")
	begin := time.Now().Add(time.Hour)
	acme, globex := *p.books.of("acme", begin), *p.books.of("globex", begin)
	require.Equal(t, []time.Duration{time.Minute, model.Work}, []time.Duration{acme.Left, globex.Left})
	for _, a := range []*account{&acme, &globex} {
		a.charge(time.Hour, 0)
		require.Equal(t, -a.back(maxWait), a.Left, "an hour pays any debt")
		a.fill(begin.Add(time.Hour))
		require.Zero(t, a.Left)
		a.fill(begin.Add(time.Hour + 50*time.Second))
		require.Equal(t, a.most()/2, a.Left)
	}
	p.books.of("acme", begin).charge(40*time.Second, 0) // a third is left
	p.books.of("globex", begin).charge(5*time.Second, 0)
	p.background.queues = map[string][]*job{"acme": {}, "globex": {}}
	require.Equal(t, "globex", p.next(begin), "a larger budget is no privilege")
	clear(p.background.queues)
	allot("2s")
	require.Equal(t, 2*time.Second, p.books.of("acme", begin).Left)
	files.put("work.cue", "package fleet\n\nplatform: allotments: acme: nonsense: 1\n")
	require.NotEmpty(t, e.Fleet("c", files, nil).Problems)
	require.Equal(t, 2*time.Second, p.books.of("acme", begin).Left, "an invalid platform changes no budget")
}

// A restart forgives nothing; a damaged file does, and a clock that was wrong costs no more
// than a wait.
func TestBooksAreKept(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1e9, 0).UTC()
	b := openBooks(dir, now)
	b.settle("acme", "bomb", 5*time.Second, 0, &evaluate.Exhausted{Limit: evaluate.Time}, now)
	b.settle("globex", "fine", time.Second, time.Second, nil, now)
	b.save(now, true)

	again := openBooks(dir, now.Add(10*time.Second))
	require.Equal(t, 6*time.Second, again.of("acme", now.Add(10*time.Second)).Left)
	require.Equal(t, 1, again.of("acme", now).Failed)
	require.True(t, again.of("globex", now).waitedFor())
	require.Equal(t, 9*time.Second, again.accounts["globex"].Left)
	require.Equal(t, &evaluate.Exhausted{Limit: evaluate.Time}, again.failures.recent("bomb", now.Add(10*time.Second)))
	require.NoError(t, again.failures.recent("bomb", now.Add(firstWait)))

	past := openBooks(dir, now.Add(-24*time.Hour))
	require.NoError(t, past.failures.recent("bomb", now.Add(-24*time.Hour+firstWait)))
	require.Equal(t, 6*time.Second, past.of("acme", now.Add(-24*time.Hour+10*time.Second)).Left)

	file := filepath.Join(dir, "budgets.json")
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	for name, damaged := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)/2], "foreign": []byte(`{"accounts": {"acme": null}, "failures": 7}`),
		"nothing in it": []byte("null"), "too large": append([]byte(strings.Repeat(" ", maxBooks)), whole...),
	} {
		require.NoError(t, os.WriteFile(file, damaged, 0o600))
		b := openBooks(dir, now)
		require.Empty(t, b.accounts, name)
		require.Empty(t, b.failures, name)
		b.settle("acme", "bomb", 5*time.Second, 0, &evaluate.Exhausted{Limit: evaluate.Time}, now)
		require.Len(t, openBooks(dir, now).accounts, 1, "it is whole again")
	}
}

// No flood of failures or tenants makes the pool forget those that cost most.
func TestBooksAreBounded(t *testing.T) {
	now := time.Unix(1e9, 0)
	b := openBooks("", now)
	for range 5 {
		b.failures.add("bomb", &evaluate.Exhausted{Limit: evaluate.Time}, now)
		b.of("acme", now).charge(5*time.Second, 0)
	}
	for i := range maxFailed + 100 {
		b.failures.add(fmt.Sprint(i), &evaluate.Exhausted{Limit: evaluate.Time}, now)
	}
	for i := range maxTenants + 100 {
		b.of(fmt.Sprint("t", i), now)
	}
	require.Len(t, b.failures, maxFailed)
	require.Error(t, b.failures.recent("bomb", now.Add(15*time.Minute)))
	require.Len(t, b.accounts, maxTenants)
	require.Negative(t, b.accounts["acme"].Left)
}

// bombard adds applications to a tenant that never end, in other bytes for each round.
func (t tree) bombard(tenant string, n, round int) {
	for i := range n {
		name := fmt.Sprintf("bomb-%d", i)
		t.put("tenants/"+tenant+"/apps/"+name+"/app.cue", fmt.Sprintf("package fleet\n\nimport \"list\"\n\n// %d\napplication: {\n\tname: %q\n%s\n}\n", round, name, nestedFor.source))
	}
}

// codes returns the problems of applications, by code.
func codes(f *model.Fleet) map[string][]string {
	out := map[string][]string{}
	for _, u := range f.Unusable {
		out[u.Code] = append(out[u.Code], u.App.String())
	}
	return out
}

// ended returns how many evaluations ended at a limit.
func (p *Pool) ended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.books.failures)
}

// told waits until the pool says that there are answers.
func told(t *testing.T, p *Pool) {
	select {
	case <-p.Answered():
	case <-t.Context().Done():
		t.Fatal("nothing was answered")
	case <-time.After(5 * time.Minute):
		t.Fatal("nothing was answered")
	}
}

// Bombs of one tenant do not delay the change of another: no pass waits for one of them to
// end, in one commit, as new bytes or after a restart, and each is named.
func TestBombsOfOneTenantDelayNobody(t *testing.T) {
	bombsTakeSeconds(t)
	dir := t.TempDir()
	p := open(t, Options{Dir: dir, Budgets: true})
	p.longest = 5 * time.Minute // a busy machine postpones nothing here
	e := evaluate.Through(p)
	files := fleetOf(1, "acme", "globex")
	f := e.Fleet("c", files, nil)
	require.Empty(t, f.Problems)

	const n = 12
	change := func(round int) {
		t.Helper()
		files.bombard("acme", n, round)
		files.app("globex", "app-0", 200+round)
		f = e.Fleet("c", files, nil)
		require.Equal(t, []string{"acme/app-0", "globex/app-0"}, ids(f.Applications))
		require.Equal(t, 200+round, f.Applications[1].Priority)
		require.False(t, e.Settled())
	}
	change(1)
	require.Zero(t, p.ended(), "it waited for none of them")
	require.Len(t, codes(&f)["DA1020"], n)
	require.Contains(t, f.Unusable[0].Message, "tenant acme has used its CPU time for evaluations")

	for p.ended() == 0 {
		told(t, p)
	}
	f = e.Fleet("c", files, nil)
	require.NotEmpty(t, codes(&f)["DA1016"], "who ended at a limit is to blame")
	change(2)
	require.Len(t, codes(&f)["DA1020"], n)

	p = open(t, Options{Dir: dir, Budgets: true})
	p.longest = 5 * time.Minute
	e = evaluate.Through(p)
	ended := p.ended()
	require.Positive(t, ended)
	require.Positive(t, p.books.accounts["acme"].Failed)
	change(3)
	require.Equal(t, ended, p.ended())
	require.Len(t, codes(&f)["DA1020"], n)
}

func ids(apps []*model.Application) (names []string) {
	for _, a := range apps {
		names = append(names, a.ID.String())
	}
	return names
}

// What goes on in the background gives what a caller who waits is given, kept on disk or not.
func TestBackgroundIsTheSame(t *testing.T) {
	files := fleetOf(20, "acme", "globex")
	files.app("acme", "greedy", 5000)
	files.put("tenants/acme/apps/site/app.cue", "package fleet\n\napplication: {name: \"site\", priority: \"high\"}\n")
	want := evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", files, nil)
	for name, o := range map[string]Options{"on disk": {Dir: t.TempDir(), Budgets: true}, "in memory": {Budgets: true}} {
		t.Run(name, func(t *testing.T) {
			p := open(t, o)
			p.books.of("acme", time.Now()).charge(0, time.Hour) // no pass waits for it
			e := evaluate.Through(p)
			got := e.Fleet("c", files, nil)
			require.Equal(t, []string{"acme"}, got.UnusableTenants)
			require.Len(t, got.Applications, 20, "those of globex")
			for rounds := 0; !e.Settled(); rounds++ {
				require.Less(t, rounds, 50)
				told(t, p)
				got = e.Fleet("c", files, nil)
			}
			require.Equal(t, want, got)
			require.Empty(t, p.background.jobs)
			require.Zero(t, p.background.bytes)
			require.Zero(t, p.books.accounts["acme"].jobs)
		})
	}
}

// One place is always there for those who wait: of two that are too slow one is preempted, and
// ends later. The platform is always waited for.
func TestOnePlaceIsFree(t *testing.T) {
	bombsTakeSeconds(t)
	p := open(t, Options{Budgets: true, Deadline: 3 * time.Second})
	places := make(chan *leashed.Process, 2)
	places <- nil
	places <- nil
	p.places = places
	p.background.running++ // a job that never ends
	bomb := busyRequest()
	for _, tenant := range []string{"acme", "globex"} {
		_, err := p.Evaluate(tenant, tenant, bomb)
		require.Equal(t, &evaluate.Postponed{Tenant: tenant}, err)
	}
	require.Zero(t, p.ended(), "both are preempted")
	require.Len(t, p.background.queues, 2)
	_, err := p.Evaluate("", "platform", bomb)
	require.Equal(t, &evaluate.Exhausted{Limit: evaluate.Time}, err)

	p.mu.Lock()
	p.background.running-- // it has
	p.dispatch()
	p.mu.Unlock()
	for p.ended() < 3 {
		told(t, p)
	}
	for _, tenant := range []string{"acme", "globex"} {
		_, err := p.Evaluate(tenant, tenant, bomb)
		require.Equal(t, &evaluate.Exhausted{Limit: evaluate.Time}, err)
	}
}

// A tenant whose evaluations failed gives up its place in the background to one that has more left.
func TestWhoFailedGivesWay(t *testing.T) {
	bombsTakeSeconds(t)
	p := open(t, Options{Budgets: true, Deadline: 3 * time.Second})
	for cap(p.places) > 2 {
		p.places = make(chan *leashed.Process, 2)
		p.places <- nil
		p.places <- nil
	}
	bomb := busyRequest()
	p.books.of("acme", time.Now()).fail(time.Second, 0)
	_, err := p.Evaluate("acme", "acme", bomb)
	require.Equal(t, &evaluate.Postponed{Tenant: "acme"}, err)
	_, err = p.Evaluate("globex", "globex", bomb)
	require.Equal(t, &evaluate.Postponed{Tenant: "globex"}, err)
	for p.ended() == 0 {
		told(t, p)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	require.Contains(t, p.books.failures, "globex")
	require.NotContains(t, p.books.failures, "acme")
}

// What the machine is to blame for in the background is told, and tried again after a wait.
func TestBackgroundOfAMissingProgram(t *testing.T) {
	p := open(t, Options{Command: []string{filepath.Join(t.TempDir(), "missing")}, Budgets: true})
	p.books.of("acme", time.Now()).charge(0, time.Hour)
	for range 3 {
		_, err := p.Evaluate("acme", "key", nil)
		require.Equal(t, &evaluate.Postponed{Tenant: "acme"}, err)
		told(t, p)
		for range 2 {
			_, err = p.Evaluate("acme", "key", nil)
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		require.True(t, p.forgiven("key"))
	}
	require.Zero(t, p.books.of("acme", time.Now()).Failed, "nobody is to blame")
}

// forgiven ends the wait of a request that failed, and reports whether there was one.
func (p *Pool) forgiven(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok := p.books.failures[key]
	f.Until = time.Time{}
	p.books.failures[key] = f
	return ok
}

// What waits is bounded. Who was turned away is served when asking again.
func TestBackgroundIsBounded(t *testing.T) {
	p := open(t, Options{Command: []string{program, "answer"}, Budgets: true})
	p.background.running = cap(p.places) // nothing begins
	request := make([]byte, 3<<20)
	for tenant := range 30 {
		p.books.of(fmt.Sprint(tenant), time.Now()).charge(0, time.Hour)
		for i := range 5 {
			_, err := p.Evaluate(fmt.Sprint(tenant), fmt.Sprint(tenant, i), request)
			require.ErrorAs(t, err, new(*evaluate.Postponed))
		}
	}
	require.LessOrEqual(t, p.background.bytes, maxWaiting)
	for _, queue := range p.background.queues {
		require.LessOrEqual(t, len(queue)*len(request), maxOfOne)
	}
	p.mu.Lock()
	p.background.running = 0
	p.dispatch()
	p.mu.Unlock()
	answered := map[string]bool{}
	for rounds := 0; len(answered) < 30*5; rounds++ {
		require.Less(t, rounds, 300)
		for tenant := range 30 {
			for i := range 5 {
				key := fmt.Sprint(tenant, i)
				if _, ok := p.Recall(key); ok || answered[key] {
					answered[key] = true
				} else if _, err := p.Evaluate(fmt.Sprint(tenant), key, request); err != nil {
					require.ErrorAs(t, err, new(*evaluate.Postponed))
				}
			}
		}
		if len(answered) < 30*5 {
			told(t, p)
		}
	}
}

// Tenants are evaluated in turn, and the one that waited longest goes first.
func TestTenantsInTurn(t *testing.T) {
	s := &sequence{}
	e := evaluate.Through(s)
	files := fleetOf(3, "acme", "globex")
	e.Fleet("c", files, nil)
	files.app("acme", "app-0", 7)
	e.Fleet("c", files, nil)
	s.tenants = nil
	for i := range 2 {
		files.app("acme", fmt.Sprintf("app-%d", i), 8)
		files.app("globex", fmt.Sprintf("app-%d", i), 8)
	}
	e.Fleet("c", files, nil)
	require.Equal(t, []string{"globex", "acme", "globex", "acme"}, s.tenants)
}

// sequence records whose requests come in which order.
type sequence struct {
	worker  evaluate.Worker
	tenants []string
}

func (*sequence) Run(n int, do func(i int)) {
	for i := range n {
		do(i)
	}
}

func (*sequence) Recall(string) ([]byte, bool) { return nil, false }

func (*sequence) Refused(string, string) error { return nil }

func (*sequence) Allot(map[string]time.Duration) {}

func (s *sequence) Evaluate(tenant, _ string, request []byte) ([]byte, error) {
	s.tenants = append(s.tenants, tenant)
	return s.worker.Answer(request)
}

// A tenant that rests is refused before its files are read, and without a child.
func TestRestingTenant(t *testing.T) {
	p := open(t, Options{Budgets: true})
	p.options.Command = nil // who starts a child now panics
	p.books.of("acme", time.Now()).fail(20*time.Second, 0)
	require.Equal(t, &evaluate.Postponed{Tenant: "acme"}, p.Refused("acme", "new bytes"))
	_, err := p.Evaluate("acme", "new bytes", nil)
	require.Equal(t, &evaluate.Postponed{Tenant: "acme"}, err)
	require.NoError(t, p.Refused("globex", "new bytes"))
}

// failing evaluates one bomb of a tenant at a time, as a pool does after others failed.
type failing struct {
	sequence
	busy bool
}

func (f *failing) Refused(tenant, _ string) error {
	if f.busy {
		return &evaluate.Postponed{Tenant: tenant}
	}
	return nil
}

func (f *failing) Evaluate(tenant, key string, request []byte) ([]byte, error) {
	if !strings.Contains(string(request), "list.Range") {
		return f.sequence.Evaluate(tenant, key, request)
	}
	f.busy = true
	return nil, &evaluate.Exhausted{Limit: evaluate.Time}
}

// An application whose evaluation fails goes behind the others of its tenant, whatever new bytes
// it brings: they have their turn, too.
func TestApplicationsInTurn(t *testing.T) {
	b := &failing{}
	e := evaluate.Through(b)
	files := fleetOf(1, "acme")
	require.Len(t, e.Fleet("c", files, nil).Applications, 1)
	files.app("acme", "last", 1)
	var f model.Fleet
	passes := 0
	for ; len(f.Applications) < 2; passes++ {
		require.Less(t, passes, 10)
		files.bombard("acme", 3, passes)
		b.busy = false
		f = e.Fleet("c", files, nil)
	}
	require.Equal(t, 4, passes, "after three bombs")
}

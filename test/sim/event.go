package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Event is one thing that happens: an operation and the words that it takes, each
// by its number. Every event can happen at any time; where it makes no sense it
// does nothing, so that a history stays one whatever is taken out of it.
type Event struct {
	Op   int
	Args [4]int
}

// operation is a sort of event.
type operation struct {
	name   string
	weight int        // how often it is drawn
	words  [][]string // that each argument may be
	do     func(w *World, args []int)
}

// rare are the events that make one of ten in every sixth history, by what is left when its seed is divided by six. Those of
// weight 0 happen in no others.
var rare = map[uint64][]string{
	2: {"refuse-object", "move"},
	3: {"sign", "forge", "forge", "forge"},
	4: {"lose-branch", "remake-branch", "adopt-branch", "confirm-orphans"},
	5: {"damage", "revert-damage"},
}

// operations are listed by init, as some of what they do leads back here.
var operations []operation

var (
	// One process does most of the work, so that it has something to lose.
	processWords = []string{"ann", "ann", "ann", "ann", "bob"}

	appNames  = names(apps)
	lineWords = numbers("%d", 80)
	quotas    = append([]string{"none"}, numbers("%d", 9)...)
	strangers = append([]string{"none"}, numbers("%d", 5)...)
	fewWords  = []string{"1", "2", "5"}
	nodeWords = numbers("%d", 4)
	jumps     = []string{"-1h", "-5m", "-10s", "+0s", "+10s", "+5m", "+1h"}
	pinWords  = append([]string{"off"}, numbers("%d", 6)...)
	waits     = []string{"1s", "4s", "20s", "1m", "6m", "11m"}
)

func init() {
	operations = []operation{
		{"pass", 250, [][]string{processWords}, func(w *World, a []int) { _, _ = w.process(a[0]).pass(0, nil) }},
		{"crash", 35, [][]string{processWords, lineWords}, func(w *World, a []int) {
			_, _ = w.process(a[0]).pass(a[1]+1, func() { panic(crash{}) })
		}},
		{"overtake", 30, [][]string{processWords, lineWords}, func(w *World, a []int) {
			p := w.process(a[0])
			_, _ = p.pass(a[1]+1, func() { _, _ = p.other().pass(0, nil) })
		}},
		{"kill", 8, [][]string{processWords}, func(w *World, a []int) { w.process(a[0]).loop = nil }},
		{"wait", 140, [][]string{waits}, func(w *World, a []int) {
			d, _ := time.ParseDuration(waits[a[0]])
			w.tick(d)
		}},
		{"clock", 10, [][]string{processWords, jumps}, func(w *World, a []int) {
			w.process(a[0]).skew, _ = time.ParseDuration(jumps[a[1]])
		}},

		{"declare", 90, [][]string{appNames, shapeNames, numbers("v%d", 3), numbers("x%d", 5)}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) {
				t.apps[a[0]] = declaration{shape: shapeNames[a[1]], version: a[2] + 1, replicas: a[3] + 1}
			})
		}},
		{"remove", 20, [][]string{appNames}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.apps[a[0]] = declaration{} })
		}},
		{"remove-all", 3, nil, func(w *World, _ []int) {
			w.repo.commit(func(t *tree) { t.apps = [5]declaration{} })
		}},
		{"confirm", 6, [][]string{numbers("%d", 5)}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.removals = w.instances(a[0] + 1) })
		}},
		{"stop", 8, [][]string{appNames}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.apps[a[0]].stopped = t.declares(a[0]) && !t.apps[a[0]].stopped })
		}},
		{"suspend", 8, [][]string{appNames}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.apps[a[0]].suspended = t.declares(a[0]) && !t.apps[a[0]].suspended })
		}},
		{"break", 10, [][]string{appNames}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.apps[a[0]].broken = t.declares(a[0]) && !t.apps[a[0]].broken })
		}},
		{"break-rendering", 8, [][]string{appNames}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.apps[a[0]].unrenderable = t.declares(a[0]) && !t.apps[a[0]].unrenderable })
		}},
		{"pin", 12, [][]string{appNames, pinWords}, func(w *World, a []int) {
			var older pin
			if a[1] > 0 {
				older = w.repo.pin(a[0], a[1])
			}
			w.repo.commit(func(t *tree) { t.pins[a[0]] = older })
		}},
		{"break-tenant", 6, [][]string{tenants}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.tenantBroken[a[0]] = !t.tenantBroken[a[0]] })
		}},
		{"break-platform", 4, nil, func(w *World, _ []int) { w.repo.commit(func(t *tree) { t.broken = !t.broken }) }},
		{"quota", 12, [][]string{tenants, quotas}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.quota[a[0]] = a[1] })
		}},
		{"preemption", 6, [][]string{preemptions}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.rules.preemption = preemptions[a[0]] })
		}},
		{"egress", 10, [][]string{{"none", "one", "two"}}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) { t.rules.egress = a[0] })
		}},
		{"priority", 10, [][]string{appNames, numbers("+%d", 3)}, func(w *World, a []int) {
			w.repo.commit(func(t *tree) {
				if t.declares(a[0]) {
					t.apps[a[0]].raised = a[1]
				}
			})
		}},
		{"ask", 40, [][]string{appNames, askWords}, func(w *World, a []int) { w.asks(a[0], askWords[a[1]], signed) }},
		{"ask-late", 6, [][]string{appNames, askWords}, func(w *World, a []int) { w.asks(a[0], askWords[a[1]], stale) }},
		{"ask-unsigned", 6, [][]string{appNames, askWords}, func(w *World, a []int) { w.asks(a[0], askWords[a[1]], unsigned) }},
		{"rewrite", 6, nil, func(w *World, _ []int) { // the branch is cut and grows on from an older commit
			if before := w.repo.now().parent; before != "" {
				w.repo.tip = before
				w.repo.commit(func(*tree) {})
			}
		}},

		{"lose-node", 20, [][]string{nodeWords}, func(w *World, a []int) { w.cluster.nodes[a[0]].ready = false }},
		{"add-node", 20, [][]string{nodeWords}, func(w *World, a []int) { w.cluster.nodes[a[0]].ready = true }},
		{"strangers", 8, [][]string{strangers}, func(w *World, a []int) { w.cluster.foreign = a[0] }},
		{"behave", 60, [][]string{appNames, componentNames, behaviourNames}, func(w *World, a []int) {
			w.cluster.behaviour[part{apps[a[0]], componentNames[a[1]]}] = behaviourNames[a[2]]
		}},
		{"delete", 14, [][]string{appNames, lineWords[:6]}, func(w *World, a []int) { w.vandalize(a[0], a[1], true) }},
		{"edit", 14, [][]string{appNames, lineWords[:6]}, func(w *World, a []int) { w.vandalize(a[0], a[1], false) }},

		{"source", 8, [][]string{upDown}, func(w *World, a []int) { w.sourceDown = a[0] == 1 }},
		{"cut-short", 6, [][]string{fewWords}, func(w *World, a []int) { w.cutShort = a[0] + 1 }},
		{"branch", 10, [][]string{upDown}, func(w *World, a []int) { w.origin.down = a[0] == 1 }},
		{"lose-branch", 6, [][]string{{"missing", "foreign", "older"}}, func(w *World, a []int) {
			w.loseBranch([]string{"missing", "foreign", "older"}[a[0]])
		}},
		{"restore-branch", 12, nil, func(w *World, _ []int) { w.restoreBranch() }},
		{"remake-branch", 0, nil, func(w *World, _ []int) { w.remakeBranch() }},
		{"adopt-branch", 0, [][]string{processWords}, func(w *World, a []int) { w.adoptBranch(w.process(a[0])) }},
		{"confirm-orphans", 0, nil, func(w *World, _ []int) { w.confirmOrphans() }},
		{"sign", 0, nil, func(w *World, _ []int) { w.sign() }},
		{"forge", 0, [][]string{appNames, forgeryWords, forgerWords}, func(w *World, a []int) {
			w.forge(apps[a[0]], forgeryWords[a[1]], forgerWords[a[2]])
		}},
		{"damage", 0, [][]string{appNames}, func(w *World, a []int) { w.damage(apps[a[0]]) }},
		{"revert-damage", 0, [][]string{appNames}, func(w *World, a []int) { w.revert(apps[a[0]]) }},
		{"refuse-object", 0, [][]string{appNames, componentNames, refusalWords}, func(w *World, a []int) {
			w.refuses(part{apps[a[0]], componentNames[a[1]]}, refusalWords[a[2]])
		}},
		{"move", 0, [][]string{appNames, appNames}, func(w *World, a []int) {
			if tenantOf(a[0]) == tenantOf(a[1]) {
				w.repo.move(a[0], a[1])
			}
		}},
		{"refuse-push", 8, [][]string{fewWords}, func(w *World, a []int) { w.origin.refuse = a[0] + 1 }},
		{"lose-answer", 12, [][]string{fewWords, fewWords}, func(w *World, a []int) { w.origin.lose, w.origin.deaf = a[0]+1, a[1] }},
		{"api", 10, [][]string{upDown}, func(w *World, a []int) { w.apiDown, w.apiSince = a[0] == 1, w.now }},
		{"refuse-request", 10, [][]string{appNames, fewWords}, func(w *World, a []int) { w.apiRefuses[apps[a[0]].Name] = a[1] + 1 }},
		{"lose-request", 10, [][]string{fewWords}, func(w *World, a []int) { w.apiLoses = a[0] + 1 }},
		{"redeliver", 10, [][]string{lineWords[:8]}, func(w *World, a []int) { w.redeliver(a[0]) }},
		{"stall", 12, [][]string{processWords}, func(w *World, a []int) {
			if c := w.process(a[0]).carrier; c != nil && c.stalled.IsZero() {
				c.stalled = w.now
			}
		}},
		{"resume", 12, [][]string{processWords}, func(w *World, a []int) {
			if c := w.process(a[0]).carrier; c != nil {
				c.stalled = time.Time{}
			}
		}},
	}
}

var (
	shapeNames     = []string{"web", "store", "release", "extras", "secretive", "migrated", "gated", "switched", "seeded"}
	askWords       = []string{"approve", "approve", "approve", "reject", "resume", "resume", "pause", "stop", "restart", "retry"}
	componentNames = []string{"web", "db", "migrate", "reports", "seed"}
	behaviourNames = []string{"well", "slow", "crash", "fail", "unready"}
	upDown         = []string{"up", "down"}
)

// process is the one that a number of processWords names.
func (w *World) process(n int) *process {
	return w.processes[slices.Index(processNames, processWords[n])]
}

// vandalize deletes or edits an object behind everybody's back.
func (w *World) vandalize(app, n int, gone bool) {
	var mine []*object
	for _, o := range w.cluster.objects {
		if o.part.app == apps[app] && !o.permanent() && o.leaving.IsZero() {
			mine = append(mine, o)
		}
	}
	if len(mine) == 0 {
		return
	}
	slices.SortFunc(mine, func(x, y *object) int { return strings.Compare(x.key, y.key) })
	o := mine[n%len(mine)]
	if gone {
		w.reference.Lost(o.part.app, o.told.intent)
		w.cluster.remove(o)
		return
	}
	w.cluster.edits++
	o.edited = w.cluster.edits
}

func (e Event) String() string {
	op := &operations[e.Op]
	text := op.name
	for i, words := range op.words {
		text += " " + words[e.Args[i]]
	}
	return text
}

// ParseEvent reads what String writes.
func ParseEvent(line string) (Event, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return Event{}, fmt.Errorf("an empty line is no event")
	}
	n := slices.IndexFunc(operations, func(op operation) bool { return op.name == fields[0] })
	if n < 0 || len(operations[n].words) != len(fields)-1 {
		return Event{}, fmt.Errorf("%q is no event", line)
	}
	e := Event{Op: n}
	for i, words := range operations[n].words {
		if e.Args[i] = slices.Index(words, fields[i+1]); e.Args[i] < 0 {
			return Event{}, fmt.Errorf("%q: %s cannot be %q", line, fields[0], fields[i+1])
		}
	}
	return e, nil
}

func names[T fmt.Stringer](list []T) (words []string) {
	for _, x := range list {
		words = append(words, x.String())
	}
	return words
}

// numbers are the words for 1 to n.
func numbers(format string, n int) (words []string) {
	for i := range n {
		words = append(words, fmt.Sprintf(format, i+1))
	}
	return words
}

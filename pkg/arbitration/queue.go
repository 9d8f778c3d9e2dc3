package arbitration

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// queue hands out the applications that wait, one at a time, in the order in
// which they are served: by standing, then to the node whose weighted share
// beyond its guarantee is least after it got the application, at every level of
// the tree, then elders first.
type queue struct {
	*problem
	lines []line // by node
}

// line is what waits at and below a node.
type line struct {
	queue    *queue
	node     int
	waiting  []*claim // of a tenant, best first
	next     int      // of waiting
	children []int    // nodes with something waiting, a heap
	index    int      // place in the parent's heap, -1: none

	head  *claim // first of all that wait here
	after share  // beyond the guarantee, when head is granted
}

// lineUp puts those of a tenant that wait into the order in which they are served.
func (p *problem) lineUp(i int) {
	p.lines[i], p.runs[i] = p.lines[i][:0], nil
	for _, c := range p.byTenant[i] {
		if c.verdict == model.Waiting {
			p.lines[i] = append(p.lines[i], c)
		}
	}
	slices.SortFunc(p.lines[i], inLine)
}

func (p *problem) newQueue() *queue {
	q := &queue{problem: p, lines: make([]line, len(p.nodes))}
	asked := p.asking()
	for i := range q.lines {
		q.lines[i] = line{queue: q, node: i, index: -1}
		if asked == nil || asked[i] {
			q.lines[i].waiting = p.lines[i]
		}
	}
	for i := len(q.lines) - 1; i >= 0; i-- {
		q.refresh(i)
	}
	return q
}

// head is the application that is served next, nil if none waits.
func (q *queue) head() *claim { return q.lines[0].head }

// advance takes the head out.
func (q *queue) advance(head *claim) {
	q.lines[head.tenant].next++
	q.moved(head.tenant)
}

// skip passes over the head if it has no hopes, and over those of its tenant that
// would be served right after it and have none either, and says whether it did.
func (q *queue) skip(head *claim) bool {
	l, runs := &q.lines[head.tenant], q.runs[head.tenant]
	if q.hopes == nil || !q.hopeless(head, &runs[l.next]) {
		return false
	}
	first := &runs[l.next]
	for l.next = first.to; l.next < len(l.waiting); {
		w := &runs[l.next]
		if w.want == nil || w.base.class != first.base.class || w.base.band != first.base.band || !w.want.total.fits(first.want.total) ||
			!q.hopeless(l.waiting[l.next], w) {
			break
		}
		l.next = w.to
	}
	q.moved(head.tenant)
	return true
}

// moved brings the order up to date after a tenant was granted something or lost it.
func (q *queue) moved(tenant int) {
	for i := tenant; i >= 0; i = q.nodes[i].parent {
		q.refresh(i)
	}
}

// refresh computes anew what is first at a node, and its place in its parent's heap.
func (q *queue) refresh(i int) {
	l := &q.lines[i]
	l.head = nil
	if l.next < len(l.waiting) {
		l.head = l.waiting[l.next]
	}
	if len(l.children) > 0 {
		l.head = q.lines[l.children[0]].head
	}
	if l.head != nil {
		l.after = q.shareAfter(i, l.head)
	}
	if q.nodes[i].parent < 0 {
		return
	}
	parent := &q.lines[q.nodes[i].parent]
	switch {
	case l.head == nil && l.index >= 0:
		heap.Remove(parent, l.index)
	case l.head != nil && l.index < 0:
		heap.Push(parent, i)
	case l.head != nil:
		heap.Fix(parent, l.index)
	}
}

// shareAfter is what a node would have beyond its guarantee.
func (q *queue) shareAfter(i int, c *claim) share {
	n := &q.nodes[i]
	var s share
	for r, more := range c.ladder[0].total {
		if over := n.used[r] + more - n.guarantee[r]; over > 0 {
			s = max(s, part(over, q.total[r]))
		}
	}
	return s
}

func (l *line) Len() int { return len(l.children) }

func (l *line) Less(a, b int) bool {
	x, y := &l.queue.lines[l.children[a]], &l.queue.lines[l.children[b]]
	xs, ys := x.head.base(), y.head.base()
	xs.priority, ys.priority = 0, 0 // priorities order a tenant's applications only
	return cmp.Or(
		xs.compare(ys),
		comparePerWeight(x.after, l.queue.nodes[x.node].weight, y.after, l.queue.nodes[y.node].weight),
		cmp.Compare(l.queue.nodes[x.node].name, l.queue.nodes[y.node].name),
	) < 0
}

func (l *line) Swap(a, b int) {
	l.children[a], l.children[b] = l.children[b], l.children[a]
	l.queue.lines[l.children[a]].index, l.queue.lines[l.children[b]].index = a, b
}

func (l *line) Push(x any) {
	l.queue.lines[x.(int)].index = len(l.children)
	l.children = append(l.children, x.(int))
}

func (l *line) Pop() any {
	last := l.children[len(l.children)-1]
	l.children = l.children[:len(l.children)-1]
	l.queue.lines[last].index = -1
	return last
}

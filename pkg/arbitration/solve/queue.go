package solve

import (
	"cmp"
	"container/heap"
)

// queue hands out the pending applications, one at a time, in the order in which
// they are served: by standing, then to the node whose weighted share beyond its
// guarantee is least after it got the application, at every level of the tree, then
// in first-come order.
type queue struct {
	*Books
	lines []line // by node
	retry Retry  // nil: all are tried
}

// line is the part of the queue at and below one node.
type line struct {
	queue    *queue
	node     int
	waiting  []*App // of a tenant, best first
	next     int    // of waiting
	children []int  // nodes with something waiting, a heap
	index    int    // place in the parent's heap, -1: none

	head  *App  // first of all that wait here
	after Share // beyond the guarantee, when head is granted
}

// newQueue lines up all pending applications, or those that retry selects.
func newQueue(books *Books, apps *Roster, retry Retry) *queue {
	q := &queue{Books: books, retry: retry, lines: make([]line, len(books.Nodes))}
	var tried []bool
	if retry != nil {
		tried = retry.Tried()
	}
	for i := range q.lines {
		q.lines[i] = line{queue: q, node: i, index: -1}
		if tried == nil || tried[i] {
			q.lines[i].waiting = apps.Pending[i]
		}
	}
	for i := len(q.lines) - 1; i >= 0; i-- {
		q.refresh(i)
	}
	return q
}

// head is the application that is served next, nil if none waits.
func (q *queue) head() *App { return q.lines[0].head }

// advance takes the head out.
func (q *queue) advance(head *App) {
	q.lines[head.Tenant].next++
	q.moved(head.Tenant)
}

// skip passes over the head, and the applications of its tenant right after it, as
// far as retry allows. It reports whether it did.
func (q *queue) skip(head *App) bool {
	if q.retry == nil {
		return false
	}
	l := &q.lines[head.Tenant]
	next := q.retry.Next(head.Tenant, l.next)
	if next == l.next {
		return false
	}
	l.next = next
	q.moved(head.Tenant)
	return true
}

// moved brings the order up to date after a tenant was granted something or lost it.
func (q *queue) moved(tenant int) {
	for i := tenant; i >= 0; i = q.Nodes[i].Parent {
		q.refresh(i)
	}
}

// refresh recomputes who is first at a node, and the node's place in its parent's
// heap.
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
	if q.Nodes[i].Parent < 0 {
		return
	}
	parent := &q.lines[q.Nodes[i].Parent]
	switch {
	case l.head == nil && l.index >= 0:
		heap.Remove(parent, l.index)
	case l.head != nil && l.index < 0:
		heap.Push(parent, i)
	case l.head != nil:
		heap.Fix(parent, l.index)
	}
}

// shareAfter is what a node would have beyond its guarantee with the application
// granted in full.
func (q *queue) shareAfter(i int, app *App) Share {
	n := q.Nodes[i]
	var s Share
	for r, more := range app.Levels[0].Total {
		if over := n.Used[r] + more - n.Guarantee[r]; over > 0 {
			s = max(s, part(over, q.Total[r]))
		}
	}
	return s
}

func (l *line) Len() int { return len(l.children) }

func (l *line) Less(a, b int) bool {
	x, y := &l.queue.lines[l.children[a]], &l.queue.lines[l.children[b]]
	xs, ys := x.head.Base(), y.head.Base()
	xs.Priority, ys.Priority = 0, 0 // priorities order a tenant's applications only
	return cmp.Or(
		xs.Compare(ys),
		comparePerWeight(x.after, l.queue.Nodes[x.node].Weight, y.after, l.queue.Nodes[y.node].Weight),
		cmp.Compare(l.queue.Nodes[x.node].Name, l.queue.Nodes[y.node].Name),
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

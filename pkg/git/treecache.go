package git

import "sync"

// treeCache remembers parsed trees. Trees never change, so it is never wrong.
// It forgets the generation that was not asked for since the last one filled.
type treeCache struct {
	mu        sync.Mutex
	max, size int
	young     map[Hash]cachedTree
	old       map[Hash]cachedTree
}

type cachedTree struct {
	tree *Tree
	size int
}

func newTreeCache(max int) *treeCache { return &treeCache{max: max, young: map[Hash]cachedTree{}} }

func (c *treeCache) get(h Hash) (*Tree, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t, ok := c.young[h]; ok {
		return t.tree, true
	}
	if t, ok := c.old[h]; ok {
		c.add(h, t)
		return t.tree, true
	}
	return nil, false
}

func (c *treeCache) put(h Hash, t *Tree, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(h, cachedTree{t, size + 200})
}

func (c *treeCache) add(h Hash, t cachedTree) {
	if c.size+t.size > c.max/2 {
		c.old, c.young, c.size = c.young, map[Hash]cachedTree{}, 0
	}
	c.young[h] = t
	c.size += t.size
}

func (c *treeCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.young, c.old, c.size = map[Hash]cachedTree{}, nil, 0
}

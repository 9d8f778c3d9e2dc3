package git

import "sync"

// treeCache caches parsed trees. Trees never change. A full cache is emptied: the trees
// in use are soon in it again.
type treeCache struct {
	mu    sync.Mutex
	size  int
	trees map[Hash]*Tree
}

func (c *treeCache) get(h Hash) (*Tree, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t, ok := c.trees[h]
	return t, ok
}

func (c *treeCache) put(h Hash, t *Tree, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.size += size + 200; c.size > treeCacheSize {
		clear(c.trees)
		c.size = size + 200
	}
	c.trees[h] = t
}

func (c *treeCache) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.trees)
	c.size = 0
}

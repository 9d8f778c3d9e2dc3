package status

import (
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
	"github.com/d-aros/d-aros/pkg/model"
)

// since is what a reader need not read: of a tree that differs from one whose ledger is
// held it decodes only the files that differ, and shares the rest. Where anything about
// the branch is out of the ordinary it fails, and the branch is read whole: the two never
// give different ledgers.
type since struct {
	held  *state
	tree  *dir // that is read
	store *git.Store
}

// since reads the state at a commit from what differs from s. The store need not have the
// rest.
func (s *state) since(store *git.Store, head git.Hash, limits bounds) (*state, error) {
	c, err := store.Commit(head)
	if err != nil {
		return nil, err
	}
	left := limits.Count
	tree, err := s.tree.since(store, c.TreeHash, limits.Depth, &left)
	if err != nil {
		return nil, err
	}
	if err := limits.Allow(tree.count); err != nil {
		return nil, err
	}
	if !s.shares() || tree.blob(formatFile) != s.tree.blob(formatFile) {
		return nil, errNotShared
	}
	if tree == s.tree {
		same := *s // only the history differs: it was compacted
		same.head, same.size = head, 0
		return &same, nil
	}
	r := &reader{format: s.format, since: &since{s, tree, store}, most: limits.bytes}
	made := &state{head: head, tree: tree, format: s.format, signed: c.PGPSignature != "" && trailer(c.Message, sequenceTrailer) != ""}
	if made.ledger, err = r.ledger(); err != nil {
		return nil, err
	}
	made.ledger.Instances, made.ledger.Decisions = orNil(made.ledger.Instances), orNil(made.ledger.Decisions)
	made.former, made.size = r.formerOf(made), r.size.Load()
	made.revise()
	return made, nil
}

// shares reports whether states may be read from what differs from s.
func (s *state) shares() bool {
	return s.head != git.ZeroHash && !s.foreign && s.format == Current && len(s.more) == 0 && len(s.ledger.Damaged) == 0 &&
		s.tree.blob(formatFile) != git.ZeroHash
}

// same reports whether a file is there and need not be read.
func (r *reader) same(file string) bool {
	if r.since == nil {
		return false
	}
	h := r.since.tree.blob(file)
	return h != git.ZeroHash && h == r.since.held.tree.blob(file) && !r.since.held.former[h]
}

// sameDir reports whether nothing in a directory need be read.
func (r *reader) sameDir(path string) bool {
	if r.since == nil {
		return false
	}
	d, held := r.since.tree.at(path), r.since.held.tree.at(path)
	return d != nil && held != nil && d.hash == held.hash
}

// content reads a file.
func (r *reader) content(name string) ([]byte, error) {
	if r.since == nil {
		return fs.ReadFile(r.fsys, name)
	}
	h := r.since.tree.blob(name)
	if h == git.ZeroHash {
		return nil, fs.ErrNotExist
	}
	return r.since.store.Blob(h, maxFile)
}

// noteFormer notes files whose content alone does not say what the ledger has of them.
func (r *reader) noteFormer(files ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.former = append(r.former, files...)
}

// formerOf returns the names of these files, and of those that are known already.
func (r *reader) formerOf(s *state) map[git.Hash]bool {
	var all map[git.Hash]bool
	if r.since != nil {
		all = r.since.held.former
	}
	if len(r.former) == 0 {
		return all
	}
	if all = maps.Clone(all); all == nil {
		all = map[git.Hash]bool{}
	}
	for _, file := range r.former {
		all[s.tree.blob(s.format.name(file))] = true
	}
	return all
}

// fleet returns what the held ledger says of the fleet as a whole.
func (s *since) fleet() (l model.Ledger) {
	if s == nil {
		return l
	}
	h := &s.held.ledger
	l.Commit, l.Source, l.Problems, l.Platform, l.Pools, l.Orphans, l.PastUse = h.Commit, h.Source, h.Problems, h.Platform, h.Pools, h.Orphans, h.PastUse
	l.Instances = slices.Grow([]model.Instance(nil), len(h.Instances))
	l.Decisions = slices.Grow([]model.Decision(nil), len(h.Decisions))
	return l
}

// orNil returns a list as it is when it is read whole.
func orNil[T any](list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list
}

// record returns the held records of an application.
func (s *since) record(app model.AppID) (r record) {
	if s != nil {
		r.instance, _ = s.held.ledger.Find(app)
		r.decision, _ = s.held.ledger.Decision(app)
	}
	return r
}

// take adds all that the held ledger has about a tenant.
func (s *since) take(l *model.Ledger, tenant string) {
	h := &s.held.ledger
	if t := s.tenant(tenant); t != nil {
		l.Tenants = append(l.Tenants, *t)
	}
	l.OverQuota = append(l.OverQuota, s.overQuota(tenant)...)
	l.Instances = append(l.Instances, ofTenant(h.Instances, tenant, func(in *model.Instance) string { return in.App.Tenant })...)
	l.Decisions = append(l.Decisions, ofTenant(h.Decisions, tenant, func(d *model.Decision) string { return d.App.Tenant })...)
}

// ofTenant returns the part of a sorted list that is about a tenant.
func ofTenant[T any](list []T, tenant string, of func(*T) string) []T {
	first, _ := slices.BinarySearchFunc(list, tenant, func(x T, tenant string) int { return strings.Compare(of(&x), tenant) })
	end := first
	for end < len(list) && of(&list[end]) == tenant {
		end++
	}
	return list[first:end]
}

// tenant returns what the held ledger says of a tenant, nil if there is nothing.
func (s *since) tenant(name string) *model.Tenant {
	list := s.held.ledger.Tenants
	if i, found := slices.BinarySearchFunc(list, name, func(t model.Tenant, name string) int { return strings.Compare(t.Name, name) }); found {
		return &list[i]
	}
	t, _ := model.Find(list, name) // a save may have another order
	return t
}

func (s *since) overQuota(tenant string) []model.OverQuota {
	return slices.DeleteFunc(slices.Clone(s.held.ledger.OverQuota), func(q model.OverQuota) bool { return q.Tenant != tenant })
}

// subdirectories lists the directories in dir, as those of a reader.
func (s *since) subdirectories(dir string) (names []string, err error) {
	d := s.tree.at(dir)
	if d == nil {
		return nil, nil
	}
	for _, e := range d.entries {
		if e.dir == nil {
			continue
		}
		if !label.MatchString(e.name) {
			return nil, errNotShared
		}
		names = append(names, e.name)
	}
	return names, nil
}

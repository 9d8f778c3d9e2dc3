package apply

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// inventorySize is how many bytes of entries one ConfigMap of an inventory gets: some 1,600
// objects. Managed fields double it, and the API server refuses more than 1 MiB.
const inventorySize = 256 << 10

// entryValue is the most that the value of an entry has: a UID, and a word.
const entryValue = 64

// mostShards bounds the parts of an inventory: a ConfigMap with a greater number is none of ours, and must not make us
// keep room for all numbers below.
const mostShards = 1000

// shardName is the name of a part of an inventory. The first part has the name of the inventory.
func shardName(app model.AppID, n int) string {
	if n == 0 {
		return inventoryName(app)
	}
	return inventoryName(app) + "." + strconv.Itoa(n)
}

// shardOf returns which part of an inventory has a name, -1 if none has.
func shardOf(app model.AppID, name string) int {
	rest, ok := strings.CutPrefix(name, inventoryName(app))
	if !ok {
		return -1
	}
	if rest == "" {
		return 0
	}
	n, err := strconv.Atoi(strings.TrimPrefix(rest, "."))
	if err != nil || n <= 0 || n >= mostShards || shardName(app, n) != name {
		return -1
	}
	return n
}

// shard returns which part of the inventory of the set an object is, -1 if it is none.
func (w *work) shard(o *Object) int {
	if o.Namespace != w.set.Namespace {
		return -1
	}
	return shardOf(w.app(), o.Name)
}

// shards returns the parts of an inventory that lists refs, and those that there are, nil where
// there is none. What a part lists stays there, so that a change of some objects writes the parts
// that list them; what none lists goes where there is room.
func (w *work) shards(refs []Ref) (wanted [][]Ref, live []*Object) {
	at := map[Ref]int{}
	for _, o := range w.live.inventories(w.app()) {
		n := w.shard(o)
		if n < 0 || o.Deleting {
			continue
		}
		for len(live) <= n {
			live = append(live, nil)
		}
		live[n] = o
		for _, r := range o.inventory.refs {
			at[r] = n
		}
	}
	wanted = make([][]Ref, max(1, len(live)))
	sizes := make([]int, len(wanted))
	var news []Ref
	for _, r := range refs {
		if n, listed := at[r]; listed {
			wanted[n], sizes[n] = append(wanted[n], r), sizes[n]+len(keyOf(r))+entryValue
		} else {
			news = append(news, r)
		}
	}
	n := 0
	for _, r := range news {
		size := len(keyOf(r)) + entryValue
		for w.app().Name != "" && n < len(wanted) && sizes[n] > 0 && sizes[n]+size > w.inventorySize {
			n++
		}
		if n == len(wanted) {
			wanted, sizes = append(wanted, nil), append(sizes, 0)
		}
		wanted[n], sizes[n] = append(wanted[n], r), sizes[n]+size
	}
	for len(live) < len(wanted) {
		live = append(live, nil)
	}
	return wanted, live
}

// write makes the inventory list exactly refs, but for empty parts. It returns the part that
// could not be written.
func (w *work) write(ctx context.Context, refs []Ref) (Ref, error) {
	wanted, live := w.shards(refs)
	for n, part := range wanted {
		if n > 0 && len(part) == 0 {
			continue
		}
		slices.SortFunc(part, Ref.Compare)
		inv := &inventory{refs: part, ledger: w.set.Ledger}
		if inv.uids, inv.adopted = w.uids(part); live[n] != nil && live[n].inventory.same(inv) {
			continue
		}
		name := Ref{Kind: configMap.Kind, Namespace: w.set.Namespace, Name: shardName(w.app(), n)}
		if err := w.store(ctx, name, inv); err != nil {
			return name, err
		}
	}
	w.stored, w.home = refs, true
	return Ref{}, nil
}

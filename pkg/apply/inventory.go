package apply

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/common"
	"sigs.k8s.io/cli-utils/pkg/object"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
)

// inventory lists the objects that an application has, or may have, in the cluster. It is
// kept in ConfigMaps in the format of cli-utils: one key for each object. The value is the
// UID of the object, with a word behind it if the object was adopted. This is one of them.
type inventory struct {
	refs    []Ref          // in order
	uids    []string       // of refs, "" where it is not known
	adopted map[Ref]string // of refs that others made: the values of render.AnnotationAdopted
	corrupt bool           // a key names no object: somebody else wrote it
	ledger  string         // id of the ledger that its application is in; "" where none is named
}

// configMap is the kind of inventories.
var configMap = kind{Version: "v1", Kind: "ConfigMap"}

// inventoryName is the name of the inventory of an application, or of a tenant. Names of
// applications and components hold no dot, so no two of them meet, nor an object of a component.
func inventoryName(app model.AppID) string {
	if app.Name == "" {
		return "d-aros.tenant"
	}
	return "d-aros.inventory." + app.Name
}

// formerName is the name that the inventory of an application had before. A component can
// have an object of that name.
func formerName(app model.AppID) string { return "d-aros-" + app.Name }

// inventoryID is different for the inventories of different fleets.
func inventoryID(fleet string, app model.AppID) string {
	return string(model.DigestOf([]string{fleet, app.Tenant, app.Name}))
}

// isInventory reports whether an object with a label for inventories is one of an application, by its kind and its name.
func isInventory(r Ref, labelled string, app model.AppID) bool {
	return r.Kind == "ConfigMap" && labelled != "" && (shardOf(app, r.Name) >= 0 || r.Name == formerName(app))
}

// adoptedMark stands in an inventory between the UID of an adopted object and the value of
// render.AnnotationAdopted.
const adoptedMark = " adopted-"

func readInventory(entries map[string]string, ledger string) *inventory {
	inv := &inventory{ledger: ledger}
	uids := map[Ref]string{}
	for key, said := range entries {
		m, err := object.ParseObjMetadata(key)
		if err != nil || m.Name == "" || m.GroupKind.Kind == "" {
			inv.corrupt = true
			continue
		}
		r := Ref{m.GroupKind.Group, m.GroupKind.Kind, m.Namespace, m.Name}
		uid, how, adopted := strings.Cut(said, adoptedMark)
		if uids[r] = uid; adopted {
			if inv.adopted == nil {
				inv.adopted = map[Ref]string{}
			}
			inv.adopted[r] = how
		}
	}
	inv.refs = slices.SortedFunc(maps.Keys(uids), Ref.Compare)
	inv.uids = make([]string, len(inv.refs))
	for i, r := range inv.refs {
		inv.uids[i] = uids[r]
	}
	return inv
}

// Listed returns what an inventory of an application lists, in order; false if an object is none.
func Listed(u *unstructured.Unstructured, app model.AppID) (refs []Ref, ok bool) {
	if !isInventory(RefOf(u), label(u, common.InventoryLabel), app) {
		return nil, false
	}
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	return readInventory(data, "").refs, true
}

// same reports whether two inventories say the same.
func (i *inventory) same(o *inventory) bool {
	return !i.corrupt && !o.corrupt && i.ledger == o.ledger && slices.Equal(i.refs, o.refs) && slices.Equal(i.uids, o.uids) && maps.Equal(i.adopted, o.adopted)
}

// keyOf is the key of an object in an inventory.
func keyOf(r Ref) string {
	return object.ObjMetadata{Namespace: r.Namespace, Name: r.Name, GroupKind: r.GroupKind()}.String()
}

// object makes the ConfigMap of a name that stores an inventory of an application.
func (i *inventory) object(fleet string, app model.AppID, name Ref) (map[string]any, error) {
	data := map[string]any{}
	for n, r := range i.refs {
		key := keyOf(r)
		if len(key) > 253 {
			return nil, fmt.Errorf("the name of %s is too long to be kept in an inventory", r)
		}
		data[key] = i.uids[n]
		if how := i.adopted[r]; how != "" {
			data[key] = i.uids[n] + adoptedMark + how
		}
	}
	labels := map[string]any{
		common.InventoryLabel: inventoryID(fleet, app),
		render.LabelManagedBy: render.ManagedBy,
		render.LabelFleet:     fleet,
		render.LabelTenant:    app.Tenant,
	}
	if app.Name != "" {
		labels[render.LabelApplication] = app.Name
	}
	if i.ledger != "" {
		labels[render.LabelLedger] = i.ledger
	}
	return map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "data": data,
		"metadata": map[string]any{"name": name.Name, "namespace": name.Namespace, "labels": labels},
	}, nil
}

// union and without return the union and the difference of two sets, in order.
func union(a, b []Ref) []Ref {
	all := slices.Concat(a, b)
	slices.SortFunc(all, Ref.Compare)
	return slices.Compact(all)
}

func without(a, b []Ref) []Ref {
	var rest []Ref
	for _, r := range a {
		if _, in := slices.BinarySearchFunc(b, r, Ref.Compare); !in {
			rest = append(rest, r)
		}
	}
	return rest
}

// permanent reports whether objects of the kind are never deleted: they hold objects
// of others, or data that cannot be made again.
func permanent(r Ref) bool {
	switch r.Kind {
	case "Namespace", "PersistentVolumeClaim", "PersistentVolume":
		return r.Group == ""
	case "CustomResourceDefinition":
		return strings.HasSuffix(r.Group, "k8s.io")
	}
	return false
}

// inventories returns the inventories of an application, in order.
func (l *Live) inventories(app model.AppID) []*Object {
	return slices.DeleteFunc(l.Objects(app), func(o *Object) bool { return o.inventory == nil || o.left.none() }) // others may copy our labels
}

// lists reports whether an inventory of the application lists the object.
func (l *Live) lists(app model.AppID, r Ref) bool {
	return slices.ContainsFunc(l.inventories(app), func(o *Object) bool {
		_, in := slices.BinarySearchFunc(o.inventory.refs, r, Ref.Compare)
		return in
	})
}

// applied returns the existing objects of watched kinds that we applied for an
// application and that pruning may delete, in order.
func (l *Live) applied(app model.AppID) []Ref {
	var refs []Ref
	for _, o := range l.Objects(app) {
		if o.prunable() {
			refs = append(refs, o.Ref)
		}
	}
	return refs
}

// Inventories returns the inventories of the fleet, in order, each with all its parts, and the number of changes
// to them that it knows of. After the number of changes given it returns nothing new:
// so it costs nothing while no inventory changes. That of a tenant has no name of an
// application.
func (l *Live) Inventories(ctx context.Context, after int) (_ []model.Inventory, changes int, err error) {
	if err := l.Watch(ctx, configMap); err != nil {
		return nil, after, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.inventoried == after {
		return nil, after, nil
	}
	var all []model.Inventory
	for _, o := range l.objects {
		if o.inventory != nil {
			all = append(all, model.Inventory{
				App: o.App, Instance: l.instanceOf(o.App), Namespace: o.Namespace,
				Ledger: o.inventory.ledger, Objects: len(o.inventory.refs), Commit: l.commitOf(o.App),
			})
		}
	}
	slices.SortFunc(all, func(a, b model.Inventory) int {
		return cmp.Or(a.App.Compare(b.App), cmp.Compare(a.Ledger, b.Ledger), cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Objects, b.Objects))
	})
	whole := all[:0]
	for _, part := range all {
		if n := len(whole) - 1; n >= 0 && whole[n].App == part.App && whole[n].Ledger == part.Ledger && whole[n].Namespace == part.Namespace {
			whole[n].Objects += part.Objects
			continue
		}
		whole = append(whole, part)
	}
	return whole, l.inventoried, nil
}

// commitOf returns the source commit that the workloads of an application name: the
// first, where they name several.
func (l *Live) commitOf(app model.AppID) (commit string) {
	for _, o := range l.apps[app] {
		if c := o.commit.Value(); o.Ours() && o.Workload != "" && (commit == "" || c < commit) && (len(c) == 40 || len(c) == 64) && strings.Trim(c, "0123456789abcdef") == "" {
			commit = c
		}
	}
	return commit
}

// instanceOf returns the latest instance that the objects of an application name, 1 where
// they name none.
func (l *Live) instanceOf(app model.AppID) int {
	latest := 1
	for _, o := range l.apps[app] {
		if o.Ours() {
			latest = max(latest, int(o.instance))
		}
	}
	return latest
}

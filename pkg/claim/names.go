package claim

import (
	"cmp"
	"hash/fnv"
	"slices"

	"github.com/d-aros/d-aros/pkg/model"
)

// Names are what the objects of one spec take for themselves, each list sorted.
type Names struct {
	App       model.AppID
	Namespace string // of its objects, without the prefix of the cluster; "": not known
	Hosts     []Host
	Objects   []Object
	Routes    []Route
	Services  []Service // that clients outside the cluster reach

	sums []uint64 // of all names
}

// A Host is a host whose requests an object takes: "shop.example.com", "*.example.com",
// or Every.
type Host struct {
	Name, Path string // without a path, it is about all of the host
	Component  string
}

// Every is the host of an object that names none, so that it takes every request that
// nobody else takes.
const Every = "*"

// An Object is the name of an object: "ConfigMap settings" in a namespace. An object
// without a namespace is one of the whole cluster.
type Object struct {
	Namespace, Name string
	Component       string
}

// Namespace begins the name of the object that a namespace is.
const Namespace = "Namespace "

// A Route is an object that leads requests from outside to the application.
type Route struct {
	Object, Component string
	Class             string // that carries it out, "" for the default of the cluster
	HasClass          bool   // objects of its kind have a class
	Annotations       []string
}

// A Service is one with a type other than ClusterIP, such as NodePort.
type Service struct{ Object, Component, Type string }

// New returns the names that an application takes. It keeps the lists.
func New(app model.AppID, hosts []Host, objects []Object, routes []Route) *Names {
	slices.SortFunc(hosts, func(a, b Host) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Path, b.Path), cmp.Compare(a.Component, b.Component))
	})
	slices.SortFunc(objects, func(a, b Object) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Component, b.Component))
	})
	slices.SortFunc(routes, func(a, b Route) int {
		return cmp.Or(cmp.Compare(a.Component, b.Component), cmp.Compare(a.Object, b.Object))
	})
	n := &Names{App: app, Hosts: slices.Compact(hosts), Objects: slices.Compact(objects), Routes: routes}
	n.each(func(m name, _ string) { n.sums = append(n.sums, m.sum()) })
	slices.Sort(n.sums)
	n.sums = slices.Compact(n.sums)
	return n
}

// A name is something that one application has for itself.
type name struct {
	tenant            string // of a path
	host, path        string // a host without a path divides tenants, one with a path the applications of a tenant
	namespace, object string
}

// each calls yield with every name, and the component that takes it.
func (n *Names) each(yield func(n name, component string)) {
	for _, h := range n.Hosts {
		yield(name{host: h.Name}, h.Component)
		if h.Path != "" {
			yield(name{tenant: n.App.Tenant, host: h.Name, path: h.Path}, h.Component)
		}
	}
	for _, o := range n.Objects {
		yield(name{namespace: o.Namespace, object: o.Name}, o.Component)
	}
}

// has returns whether a name is among them, and the component that takes it.
func (n *Names) has(wanted name) (component string, ok bool) {
	n.each(func(m name, c string) {
		if m == wanted && !ok {
			component, ok = c, true
		}
	})
	return component, ok
}

// divides reports whether a name divides tenants; others divide applications.
func (n name) divides() bool { return n.host != "" && n.path == "" }

// rivals reports whether two applications cannot both have the name.
func (n name) rivals(a, b model.AppID) bool {
	if n.divides() {
		return a.Tenant != b.Tenant
	}
	return a != b
}

// sum returns a number that is the same for equal names, and nearly always another one for
// others.
func (n name) sum() uint64 {
	h := fnv.New64a()
	for _, part := range []string{n.tenant, n.host, n.path, n.namespace, n.object} {
		h.Write([]byte(part))
		h.Write([]byte{0})
	}
	return h.Sum64()
}

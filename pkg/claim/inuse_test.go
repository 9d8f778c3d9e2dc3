package claim

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

// TestInUse: allotments of what is in use refuse nothing of it, nor the namespace of a further
// application, and nothing else is in them.
func TestInUse(t *testing.T) {
	app := func(tenant, name string) model.AppID { return model.AppID{Tenant: tenant, Name: name} }
	specs := []*Names{
		New(app("acme", "a"), []Host{{Name: "b.example.com", Path: "/"}, {Name: Every}}, []Object{{Namespace: "acme", Name: "Ingress a"}},
			[]Route{{Object: "Ingress a", Class: "public", HasClass: true, Annotations: []string{"y", "x"}}}),
		New(app("acme", "b"), []Host{{Name: "b.example.com", Path: "/b"}}, nil, []Route{{Object: "HTTPRoute a"}}),
		New(app("globex", "c"), []Host{{Name: "b.example.com"}}, nil, []Route{{Object: "Ingress a", HasClass: true}, {Object: "Ingress b", HasClass: true, Class: "public"}}),
		New(app("initech", "d"), nil, []Object{{Namespace: "initech", Name: "ConfigMap d"}}, nil),
	}
	specs[0].Namespace, specs[1].Namespace = "acme-a", "acme"
	specs[2].Services = []Service{{Object: "Service c", Type: "NodePort"}, {Object: "Service d", Type: "NodePort"}}
	all := InUse(slices.Values(specs))
	require.Equal(t, []model.Allotment{
		{Name: "acme", Namespaces: []string{"acme", "acme-*"}, Hosts: []string{"*", "b.example.com"}, Classes: []string{"public"}, Annotations: []string{"x", "y"}},
		{Name: "globex", Hosts: []string{"b.example.com"}, Services: []string{"NodePort"}},
	}, all)
	allotments := AllotmentsOf(&model.Platform{Allotments: all})
	for _, n := range specs {
		require.Empty(t, allotments.Refused(&model.Application{ID: n.App}, &model.Tenant{}, n))
	}
	further := New(app("acme", "z"), nil, nil, nil)
	further.Namespace = "acme-z"
	require.Empty(t, allotments.Refused(&model.Application{ID: further.App}, &model.Tenant{}, further))
}

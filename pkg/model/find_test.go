package model

import "testing"

func TestFind(t *testing.T) {
	grants := []Grant{{Component: "web", Replicas: 2}, {Component: "db", Replicas: 1}}
	g, ok := Find(grants, "db")
	if !ok || g != &grants[1] {
		t.Errorf("grant of db: %v, %v; want a pointer to the second grant", g, ok)
	}
	if g, ok := Find(grants, "cache"); ok || g != nil {
		t.Errorf("grant of cache: %v, %v; want none", g, ok)
	}
	shop := AppID{Tenant: "acme", Name: "shop"}
	if d, ok := Find([]Decision{{App: AppID{Tenant: "acme", Name: "api"}}, {App: shop}}, shop); !ok || d.App != shop {
		t.Errorf("decision about %s: %v, %v", shop, d, ok)
	}
}

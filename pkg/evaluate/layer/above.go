package layer

import (
	"encoding/json"
	"maps"
	"strings"
)

// Above is the part of a valid platform that its tenants are evaluated under.
type Above struct {
	Layer       Layer  // of the platform, without the content of its files and the places of allotments
	Policy      []byte // in force
	Definitions Definitions

	// Allotments and their places, by tenant. They are nil if the platform writes none.
	Allotments map[string]json.RawMessage
	Places     map[string]index
}

const allotments = "platform\x00allotments\x00"

// aboveTenants returns the part of a platform that its tenants are evaluated under.
func aboveTenants(platform *Document, definitions Definitions) Above {
	a := Above{Layer: platform.Layer.Outline(nil), Policy: platform.Effective, Definitions: definitions, Places: map[string]index{}}
	a.Layer.Where = index{}
	for path, entries := range platform.Layer.Where {
		below, ok := strings.CutPrefix(path, allotments)
		if !ok {
			a.Layer.Where[path] = entries
			continue
		}
		tenant, _, _ := strings.Cut(below, "\x00")
		if a.Places[tenant] == nil {
			a.Places[tenant] = index{}
		}
		a.Places[tenant][path] = entries
	}
	var doc struct {
		Allotments map[string]json.RawMessage `json:"allotments"`
	}
	if json.Unmarshal(platform.JSON, &doc) == nil { // CUE has written it
		a.Allotments = doc.Allotments
	}
	return a
}

// For returns what concerns one tenant.
func (a Above) For(tenant string) Above {
	a.Layer.Where = maps.Clone(a.Layer.Where)
	maps.Copy(a.Layer.Where, a.Places[tenant])
	a.Places = nil
	if a.Allotments != nil {
		all := a.Allotments
		a.Allotments = map[string]json.RawMessage{}
		if own, ok := all[tenant]; ok {
			a.Allotments[tenant] = own
		}
	}
	return a
}

// of returns the allotment of a tenant as CUE, and what the platform lacks of it: see
// #Tenant in the schema.
func (a *Above) of(tenant string) (allotment json.RawMessage, lacks string) {
	own, ok := a.Allotments[tenant]
	switch {
	case a.Allotments == nil:
		return json.RawMessage("{}"), "allotments"
	case !ok:
		return json.RawMessage("{}"), "an allotment"
	}
	return own, ""
}

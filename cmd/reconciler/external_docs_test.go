package main

import "testing"

// TestExternalPage: the application on docs/external.md, in the example of a fleet, is accepted and rendered by the commands
// that the page has: what runs elsewhere has no objects, and its addresses are where others refer to them. What the page says is
// refused is.
func TestExternalPage(t *testing.T) {
	testFleetPage(t, "external", 2, `stdout 'value: orders-db.provider.example:5432'
stdout 'value: https://payments.provider.example/v2'
! stdout 'name: orders-(db|payments)'
! stdout 'ExternalName'

# Another address is another release of what uses it.
exec sed -i 's/orders-db/orders-db2/' tenants/acme/apps/orders/app.cue
! exec reconciler plan
stdout 'acme/orders'

# Policy says where it may be, and what is referred to has to be there.
exec sed -i 's/orders-db2.provider.example/169.254.169.254/' tenants/acme/apps/orders/app.cue
! exec reconciler vet
stdout '^DA1260 application.components.db.properties.address: tenant acme allows calls to \*.provider.example \(egress.hosts\)$'
exec sed -i 's/169.254.169.254/orders-db.provider.example/; s/components.db.properties.address/components.bd.properties.address/' tenants/acme/apps/orders/app.cue
! exec reconciler vet
stdout 'tenants/acme/apps/orders/app.cue:18:20'
`)
}

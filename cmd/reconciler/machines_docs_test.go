package main

import "testing"

// TestMachinesPage: the application on docs/machines.md is accepted and rendered by the commands that the page has. What the page
// says is refused is, and no message repeats a secret.
func TestMachinesPage(t *testing.T) {
	testFleetPage(t, "machines", 2, `stdout 'name: ledger-db-1$'
stdout 'runStrategy: Always'
stdout 'secretRef:'
stdout 'C:\\ServiceMonitor.exe'
stdout 'key: os'

exec sed -i 's/cloudInit: secret: "start"/cloudInit: userData: {password: "canary-7f3a"}/' tenants/acme/apps/ledger/app.cue
! exec reconciler vet
stdout '^DA1398 application.components.db.properties.cloudInit.userData.password: is a secret in user data'
stdout 'tenants/acme/apps/ledger/app.cue:15:'
! stdout canary

exec sed -i 's/userData: {password: "canary-7f3a"}/userData: packages: ["postgresql"]/; s/type:     "vm"/type: "vm", runtime: "container"/' tenants/acme/apps/ledger/app.cue
! exec reconciler vet
stdout '^DA1392 application.components.db.runtime: asks for "container", a vm is of runtime virtual-machine'
`)
}

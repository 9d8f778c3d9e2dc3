// Command attack takes one defence after the other out of the program, and demands that
// the test of the attack then fails. `make attack-mutations` runs it.
package main

// A defence is an edit that takes it out, and the test that must then fail.
type defence struct {
	Case     string // of the list of attacks; "ledger" for those on the status branch
	File     string
	Old, New string
	Package  string
	Test     string // a pattern of -run
}

var defences = []defence{
	{"01", "pkg/git/tree.go", `return "is a symbolic link; links are not followed"`, `return ""`, "./pkg/source", "TestAttack01Symlink"},
	{"01", "pkg/render/chart/read.go", `case !d.Type().IsRegular():`, `case false:`, "./pkg/render/chart", "TestAttack01ChartSymlink"},
	{"02", "pkg/render/kustomize/tree.go", `p == ".." || strings.HasPrefix(p, "../")`, `p == ".."`, "./pkg/render", "TestAttack02PathTraversal"},
	{"02", "pkg/render/kustomize/tree.go", `root != "" && p != root &&`, `root == "" && p != root &&`, "./pkg/render", "TestAttack02PinnedPathTraversal"},
	{"03", "pkg/render/kustomize/graph.go", `depth > maxBaseDepth {`, `depth > 1000*maxBaseDepth {`, "./pkg/render", "TestAttack03KustomizationCycle"},
	{"04", "pkg/render/kustomize/fields.go", `k.Resources, k.Bases, k.Components = nil, nil, nil`, `k.Resources, k.Bases, k.Components, k.Crds = nil, nil, nil, nil`, "./pkg/render", "TestAttack04RemoteReferenceSSRF"},
	{"04", "pkg/render/chart/schema.go", `compiler.UseLoader(nowhere{})`, `compiler.UseLoader(jsonschema.FileLoader{})`, "./pkg/render/chart", "TestAttack04ChartFetches"},
	{"04", "pkg/outbound/egress.go", `case named || !inside(a) ||`, `case named || true ||`, "./pkg/outbound", "TestAttack04ExternalReachesNothingInside"},
	{"04", "pkg/render/build.go", `!model.CoversHost(spec.Policy.Egress, p.Host()):`, `false:`, "./pkg/render", "TestAttack04PinnedForms"},
	{"04", "pkg/source/pinned/store.go", `DialContext: o.Dial,`, ``, "./pkg/source/pinned", "TestAttack04PinnedReachesOnlyWhatIsDialled"},
	{"05", "pkg/source/pinned/store.go", `maxMemory = 64 << 20`, `maxMemory = 640 << 20`, "./pkg/source/pinned", "TestAttack05PinnedWithoutEnd/too_large"},
	{"05", "pkg/source/pinned/artefact.go", `!fs.ValidPath(h.Name) || `, ``, "./pkg/source/pinned", "TestAttack05HostileArtefact/out_of_it"},
	{"05", "pkg/render/kustomize/tree.go", `case strings.ContainsAny(ref, ":?"):`, `case false:`, "./pkg/render", "TestAttack05HostileRemoteBody"},
	{"06", "pkg/render/kustomize/fields.go", `if !rest.Field(i).IsZero() {`, `if !rest.Field(i).IsZero() && rest.Type().Field(i).Name != "HelmCharts" {`, "./pkg/render", "TestAttack06ExecPlugin"},
	{"07", "pkg/render/kustomize/fields.go", `if !rest.Field(i).IsZero() {`, `if !rest.Field(i).IsZero() && rest.Type().Field(i).Name != "OpenAPI" {`, "./pkg/render", "TestAttack07SchemaPollution"},
	{"08", "pkg/render/kustomize/yaml.go", `if !tags[n.ShortTag()] {`, `if false {`, "./pkg/render", "TestAttack08YAMLBomb"},
	{"09", "pkg/evaluate/layer/lint.go", `err != nil || !imports[p] {`, `err != nil || p == "" {`, "./pkg/evaluate/pool", "TestAttack09CUEBomb/no_file"},
	{"10", "pkg/git/url.go", `case "https", "ssh":`, `case "https", "ssh", "ftp", "git":`, "./pkg/source", "TestAttack10GitArgumentInjection"},
	{"11", "pkg/git/remote.go", `&& to.Host != req.URL.Host {`, `&& to.Host == "" {`, "./pkg/git", "TestAttack11MaliciousGitServer"},
	{"12", "pkg/git/tree.go", `kept[n-1].Name == e.Name {`, `kept[n-1].Name == "" {`, "./pkg/source", "TestAttack12EvilNames"},
	{"13", "pkg/git/tree.go", `return "is a submodule; submodules are not followed"`, `return ""`, "./pkg/source", "TestAttack13Submodules"},
	{"14", "pkg/source/history.go", `if !h.seen[commit] && !h.store.Has(commit) {`, "if h.store.Has(commit) {\n\t\treturn nil\n\t}\n\tif !h.seen[commit] {", "./pkg/source", "TestAttack14HistoryRewrite"},
	{"15", "pkg/lifecycle/lastgood.go", `removalMin   = 3`, `removalMin   = 3000`, "./pkg/lifecycle", "TestHistories"},
	{"16", "pkg/render/manifest/admit.go", `[]string{"ownerReferences", "finalizers", "generateName"}`, `[]string{"ownerReferences", "generateName"}`, "./pkg/render", "TestAttack16TenantEscape"},
	{"16", "pkg/claim/allotted.go", `!slices.Contains(own.Services, s.Type)`, `false`, "./pkg/turn", "TestAttack16TenantEscape"},
	{"16", "pkg/claim/settle.go", `if n.rivals(a.ID, t.app) && late == nil {`, `if false {`, "./pkg/turn", "TestAttack16TenantEscape"},
	{"16", "pkg/render/trait/context.go", `if model.Matches(allowed, name) {`, `if name != "" {`, "./pkg/render", "TestAttack16ExistingObjects"},
	{"16", "pkg/render/component/routed.go", `!model.Matches(in.App.Spec.Policy.Existing.Gateways, gateway)`, `gateway == ""`, "./pkg/render", "TestAttack16RawRoutes"},
	{"17", "pkg/render/manifest/podspec.go", `strings.TrimSuffix(r, "/")+"/"`, `strings.TrimSuffix(r, "/")`, "./pkg/render", "TestAttack17PrivilegeEscalation"},
	{"17", "pkg/render/manifest/account.go", `slices.Contains(a.Accounts, name)`, `name != "d-aros"`, "./pkg/render", "TestAttack17AccountOfManifests"},
	{"17", "pkg/render/manifest/kinds.go", "\t\"kubevirt.io\":  ", "\t\"none.kubevirt.io\":  ", "./pkg/render", "TestAttack17Machines"},
	{"17", "pkg/render/manifest/rights.go", `reads && slices.Contains(rights, "read "+of)`, `reads && of != ""`, "./pkg/render", "TestAttack17Rights"},
	{"17", "pkg/render/manifest/rights.go", `!slices.Contains(reading, verb), resource == "secrets"`, `!slices.Contains(reading, verb)`, "./pkg/render", "TestAttack17ClusterRights"},
	{"17", "pkg/render/component/node.go", `case !policy.HostProcess:`, `case !policy.HostProcess && account == "":`, "./pkg/render", "TestAttack17Windows"},
	{"18", "pkg/source/pinned/credentials.go", `!= g.host &&`, `== "" &&`, "./pkg/source/pinned", "TestAttack18Credentials"},
	{"18", "pkg/render/kustomize/build.go", `if k.Secrets {`, `if false {`, "./pkg/render", "TestAttack18SecretLeak"},
	{"18", "pkg/render/chart/explain.go", `f.repeats && c.mentions(`, `f == nil && c.mentions(`, "./pkg/render/chart", "TestAttack18ChartSecretLeak"},
	{"18", "pkg/model/redact.go", `if c.Type != "secret" || c.Redacted() || c.Encrypted() != "" {`, `if c.Type != "" || c.Redacted() || c.Encrypted() != "" {`, "./cmd/reconciler", "TestAttack18SecretsShowNowhere"},
	{"18", "pkg/evaluate/layer/private.go", `below[0] == "objects"`, `below[0] == "nothing"`, "./cmd/reconciler", "TestAttack18RefusalsShowNothing"},
	{"19", "pkg/page/markdown.go", `return literal(text.Line(s, maxText))`, `return text.Line(s, maxText)`, "./pkg/status", "TestAttack19StatusInjection"},
	{"20", "pkg/source/webhook/handler.go", `if !h.seen.add(mac) {`, `if h.seen.add(mac); false {`, "./pkg/source/webhook", "TestAttack20Webhook"},
	{"21", "pkg/git/push.go", `if adv.References[ref] != old {`, `if old = adv.References[ref]; false {`, "./pkg/status", "TestAttack21StatusPushRace"},
	{"22", "pkg/status/record.go", `x.Inputs, x.Shares, x.Revision = y.Inputs, y.Shares, y.Revision`, `x.Revision = y.Revision`, "./pkg/status", "TestAttack22FeedbackLoop"},
	{"23", "pkg/access/verify.go", `if len(c.Signature) == 0 {`, "if len(c.Signature) == 0 {\n\t\treturn []int{0}, nil\n\t}\n\tif false {", "./pkg/reconcile", "TestAttack23SignatureBypass/unsigned_commit"},
	{"24", "pkg/apply/change.go", "case another:\n\t\treturn v, now, w.foreign(u)", "case another:\n\t\treturn drifted, now, nil", "./pkg/apply", "TestAttack24ForeignObjects"},
	{"24", "pkg/apply/change.go", `w.fights.waits(res.Ref, found); wait > 0 {`, `w.fights.waits(res.Ref, found); wait < 0 {`, "./pkg/apply", "TestAttack24Fight"},
	{"25", "pkg/render/kustomize/build.go", `if r := recover(); r != nil {`, `if r := any(nil); r != nil {`, "./pkg/render", "TestAttack25LibraryPanic"},
	{"26", "pkg/git/disk.go", `filepath.Join(d.dir, incoming+"*")`, `filepath.Join(d.dir, incoming+"none*")`, "./pkg/source", "TestAttack26StaleWorkDirs"},
	{"ledger", "pkg/reconcile/act.go", ` && l.declared.vouches(inst) {`, ` {`, "./pkg/reconcile", "TestSpecsOfAnUnsignedLedger"},
	{"ledger", "pkg/status/signing.go", `_, err := s.Trust.Verify(c.Payload, c.Signature)`, `err := error(nil)`, "./pkg/status", "TestForeignTip"},
	{"ledger", "pkg/status/signing.go", `case on != branch:`, `case false:`, "./pkg/status", "TestOtherFleetsBranch"},
	{"ledger", "pkg/status/read_spec.go", `recorded, *a = a.Digest, a.Seal()`, `recorded = a.Digest`, "./pkg/status", "TestForgedSpec"},
}

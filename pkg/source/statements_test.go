package source_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/d-aros/d-aros/pkg/access"
)

const (
	withAudience = `audience: "test"`
	withPeople   = `audience: "test", require: {platform: 2, tenant: 2}`
	forMain      = "\nFleet: test/main"
	platformFile = "README.md"
	tenantFile   = "tenants/acme/notes.txt"
)

// reviews makes the empty commit of a review.
func (h *hosted) reviews(by string, lines ...string) string {
	message := "Review\n"
	for _, line := range append([]string{forMain}, lines...) {
		message += line
	}
	return h.CommitSigned(h.keys[by], message)
}

// TestStatements: a signature is for a branch of a fleet, once the fleet has an audience.
// Each case is what stands on main; the last commit of it is refused, or all is accepted.
func TestStatements(t *testing.T) {
	hosts := withHosts + ", " + withAudience
	for _, c := range []struct {
		name, settings string
		history        func(h *hosted)
		code, why      string
	}{
		{"a finished change", withAudience, func(h *hosted) { h.commits("bob", shop, forMain) }, "", ""},
		{"an unfinished change that somebody without a key pushed", withAudience, func(h *hosted) { h.commits("bob", shop) },
			access.CodeStatement, `nobody who may change that has signed for this fleet and branch with the line "Fleet: test/main"`},
		{"the same without an audience", withHosts, func(h *hosted) { h.commits("bob", shop) }, "", ""},
		{"for another branch", withAudience, func(h *hosted) { h.commits("bob", shop, "\nFleet: test/next") }, access.CodeStatement, ""},
		{"for another fleet", withAudience, func(h *hosted) { h.commits("bob", shop, "\nFleet: other/main") }, access.CodeStatement, ""},
		{"for a branch of a longer name", withAudience, func(h *hosted) { h.commits("bob", shop, "\nFleet: test/main2") }, access.CodeStatement, ""},
		{"in the text", withAudience, func(h *hosted) { h.commits("bob", shop, forMain, "", "But not yet.") }, access.CodeStatement, ""},
		{"among other trailers", withAudience, func(h *hosted) {
			h.commits("bob", shop, "\nWhy not.\n\nSigned-off-by: Bob", "Fleet: test/next", "Fleet: test/main")
		}, "", ""},
		{"a review of the author", withAudience, func(h *hosted) { h.commits("bob", shop); h.commits("bob", shop); h.reviews("bob") }, "", ""},
		{"a review of somebody who may", withAudience, func(h *hosted) { h.commits("bob", shop); h.reviews("root") }, "", ""},
		{"a later change is no review", withAudience, func(h *hosted) { h.commits("bob", shop); h.commits("bob", shop, forMain) }, access.CodeStatement, ""},
		{"an empty commit without the line is no review", withAudience, func(h *hosted) { h.commits("bob", shop); h.CommitSigned(h.keys["bob"], "empty") }, access.CodeStatement, ""},
		{"a review of somebody who may not", withAudience, func(h *hosted) { h.commits("root", platformFile); h.reviews("bob") },
			access.CodeStatement, "only platform admins may"},
		{"a merge", withAudience, func(h *hosted) { h.on("change"); h.commits("", shop); h.back(); h.merges("ann", "change", forMain) }, "", ""},
		{"a merge without the line", withAudience, func(h *hosted) { h.on("change"); h.commits("", shop); h.back(); h.merges("ann", "change") }, access.CodeStatement, "brings commit"},
		{"a merge without the line, of a change with it", withAudience, func(h *hosted) { h.on("change"); h.commits("bob", shop, forMain); h.back(); h.merges("ann", "change") }, "", ""},
		{"a host's merge of a change with the line", hosts, func(h *hosted) { h.on("change"); h.commits("bob", shop, forMain); h.back(); h.merges("host", "change") }, "", ""},
		{"a host's merge of an unfinished change", hosts, func(h *hosted) {
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.merges("host", "change", forMain)
		}, access.CodeStatement, "brings commit"},
		{"a host's merge of a reviewed branch", hosts, func(h *hosted) {
			h.on("change")
			h.commits("bob", shop)
			h.commits("ann", tenantFile)
			h.reviews("ann")
			h.back()
			h.merges("host", "change")
		}, "", ""},
		{"a host's merge of a branch that went on after its review", hosts, func(h *hosted) {
			h.on("change")
			h.commits("bob", shop)
			h.reviews("ann")
			h.commits("bob", shop)
			h.back()
			h.merges("host", "change")
		}, access.CodeStatement, ""},
		{"a review that comes by a merge", hosts, func(h *hosted) {
			h.on("change")
			h.commits("bob", shop)
			h.back()
			h.merges("host", "change")
			h.on("review")
			h.reviews("ann")
			h.back()
			h.merges("host", "review")
		}, "", ""},
		{"a review of what was before", hosts, func(h *hosted) {
			h.on("review")
			h.reviews("ann")
			h.back()
			h.commits("bob", shop)
			h.merges("host", "review")
		}, access.CodeStatement, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHosted(t, c.settings)
			start := h.recorded.Commit
			c.history(h)
			h.outcome(start, c.code, c.why)
		})
	}
}

// outcome requires that all of main is accepted, or that the first commit after the start
// is refused.
func (h *hosted) outcome(start, code, why string) {
	h.t.Helper()
	if code == "" {
		h.accepted()
		return
	}
	h.refused(firstLine(h.Git("rev-list", "--first-parent", "--reverse", start+"..main")), code, why)
}

func firstLine(s string) string {
	first, _, _ := strings.Cut(s, "\n")
	return first
}

// TestPeople: a change of the platform or of a tenant needs two people here.
func TestPeople(t *testing.T) {
	hosts := withHosts + ", " + withPeople
	for _, c := range []struct {
		name, settings string
		history        func(h *hosted)
		code, why      string
	}{
		{"alone", withPeople, func(h *hosted) { h.commits("root", platformFile, forMain) },
			access.CodePeople, `which needs 2 people (platform.access.require.platform) and has 1: root; run "reconciler review" on the branch: ada may`},
		{"an application alone", withPeople, func(h *hosted) { h.commits("bob", shop, forMain) }, "", ""},
		{"reviewed by another admin", withPeople, func(h *hosted) { h.commits("root", platformFile, forMain); h.reviews("ada") }, "", ""},
		{"reviewed by its author", withPeople, func(h *hosted) { h.commits("root", platformFile, forMain); h.reviews("root") }, access.CodePeople, ""},
		{"reviewed by somebody who may not", withPeople, func(h *hosted) { h.commits("root", platformFile, forMain); h.reviews("ann") }, access.CodePeople, ""},
		{"a tenant, reviewed by the platform", withPeople, func(h *hosted) { h.commits("ann", tenantFile, forMain); h.reviews("root") }, "", ""},
		{"a tenant, reviewed by an owner", withPeople, func(h *hosted) { h.commits("ann", tenantFile, forMain); h.reviews("bob") }, access.CodePeople, "has 1: acme/ann"},
		{"each change of a branch", hosts, func(h *hosted) {
			h.on("change")
			h.commits("root", platformFile, forMain)
			h.commits("ada", platformFile, forMain)
			h.back()
			h.merges("host", "change")
		}, access.CodePeople, "has 1: root"},
		{"a reviewed branch, merged by a host", hosts, func(h *hosted) {
			h.on("change")
			h.commits("root", platformFile)
			h.reviews("ada")
			h.back()
			h.merges("host", "change")
		}, "", ""},
		{"merged by another admin", withPeople, func(h *hosted) {
			h.on("change")
			h.commits("root", platformFile)
			h.back()
			h.merges("ada", "change", forMain)
		}, "", ""},
		{"merged by its author", withPeople, func(h *hosted) {
			h.on("change")
			h.commits("root", platformFile)
			h.back()
			h.merges("root", "change", forMain)
		}, access.CodePeople, ""},
		{"an unsigned branch, merged by one", withPeople, func(h *hosted) {
			h.on("change")
			h.commits("", platformFile)
			h.back()
			h.merges("root", "change", forMain)
		}, access.CodePeople, "has 1: root"},
		{"a merge that does more than the branch", withPeople, func(h *hosted) {
			h.on("change")
			h.commits("root", platformFile)
			h.back()
			h.merges("ada", "change", forMain)
			h.Write("CODEOWNERS", "* @eve")
			h.Git("add", "-A")
			h.Signed(h.keys["ada"], "commit", "-q", "--amend", "--no-edit")
		}, access.CodePeople, "CODEOWNERS"},
		{"who waits names nobody", withPeople, func(h *hosted) {
			h.Write("eve.cue", fmt.Sprintf("package fleet\n\nplatform: access: principals: eve: ssh: [%q]\n", h.public["eve"]))
			h.commits("root", platformFile, forMain)
			h.reviews("eve")
		}, access.CodePeople, "has 1: root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := newHosted(t, c.settings)
			start := h.recorded.Commit
			c.history(h)
			h.outcome(start, c.code, c.why)
		})
	}
}

// TestOneKeyOfTwoNames: whoever lists the key of somebody else beside another key is the
// same person, and an old review counts for nothing that comes later.
func TestOneKeyOfTwoNames(t *testing.T) {
	h := newHosted(t, withPeople)
	h.Write("tenants/acme/tenant.cue", fmt.Sprintf("package fleet\n\ntenant: {\n\tname: \"acme\"\n\taccess: {principals: {ann: ssh: [%q], twin: ssh: [%q, %q]}, admins: [\"ann\", \"twin\"]}\n}\n",
		h.public["ann"], h.public["ann"], h.public["eve"]))
	h.commits("root", platformFile, forMain)
	h.reviews("ada")
	h.accepted()
	h.commits("ann", tenantFile, forMain)
	first := h.Git("rev-parse", "main")
	h.reviews("eve")
	h.refused(first, access.CodePeople, "has 1: acme/ann, acme/twin")
	h.reviews("ada")
	h.accepted()
}

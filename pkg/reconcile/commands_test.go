package reconcile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/source"
	"github.com/d-aros/d-aros/test/evaluators"
)

// petition is a fleet repo and what is asked in it.
type petition struct {
	*keeper
	approvals *Approvals
}

func newPetition(t *testing.T) *petition {
	p := &petition{keeper: newKeeper(t)}
	p.restart()
	return p
}

// restart forgets what was found out before.
func (p *petition) restart() {
	p.approvals = NewApprovals(evaluators.New(p.t))
}

func (p *petition) approve(file, step string) {
	p.Write("approvals/acme/shop/"+file+".cue", fmt.Sprintf("package fleet\n\napproval: %q: {run: \"3f2a91c04be7\", step: %q}\n", file, step))
}

// asked is what the branch asks of acme/shop, a line each: step, who and roles.
func (p *petition) asked() (lines []string, problems []model.Problem) {
	p.t.Helper()
	snap, fleet := p.pass()
	requests := p.approvals.Requests(snap)
	for _, c := range p.commands(requests.List, fleet) {
		require.Equal(p.t, "approve", c.Action)
		require.Equal(p.t, model.Digest("3f2a91c04be7"), c.Run)
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Step, c.By, strings.Join(c.Roles, ","))))
	}
	return lines, requests.Problems
}

// commands is what is asked of acme/shop, and by whom.
func (p *petition) commands(requests []access.Request, fleet model.Fleet) (commands []model.Command) {
	policy := access.New(fleet.Platform, fleet.Tenants)
	for i := range requests {
		if r := &requests[i]; r.App == (model.AppID{Tenant: "acme", Name: "shop"}) {
			commands = append(commands, policy.Commands(r, p.loop.o.Now())...)
		}
	}
	return commands
}

// expect demands what is asked, also after a restart.
func (p *petition) expect(want ...string) {
	p.t.Helper()
	for range 2 {
		got, problems := p.asked()
		require.Empty(p.t, problems)
		require.Equal(p.t, want, got)
		p.restart()
	}
	_, _ = p.asked()
}

// Who asks is who signed the commit, with the roles that they have now, and the
// order is that of the commits.
func TestWhoAsks(t *testing.T) {
	p := newPetition(t)
	p.expect()
	p.approve("z", "first")
	p.by("bob")
	p.expect("first acme/bob application-owner")
	p.approve("a", "second")
	p.by("root")
	p.approve("k", "third")
	p.by("ann")
	p.expect("first acme/bob application-owner", "second root platform-admin,tenant-admin,application-owner", "third acme/ann tenant-admin,application-owner")

	t.Log("whoever changes a file asks anew")
	p.approve("z", "again")
	p.by("ann")
	p.expect("second root platform-admin,tenant-admin,application-owner", "third acme/ann tenant-admin,application-owner", "again acme/ann tenant-admin,application-owner")

	t.Log("what is taken out is asked no more")
	p.Git("rm", "-q", "approvals/acme/shop/a.cue", "approvals/acme/shop/k.cue")
	p.by("bob")
	p.expect("again acme/ann tenant-admin,application-owner")

	t.Log("roles are those of today: ann is no admin any more")
	p.tenant(`access: {principals: {ann: ssh: [%q], bob: ssh: [%q]}, admins: ["bob"]}`, p.public["ann"], p.public["bob"])
	p.by("root")
	p.expect("again acme/ann")

	t.Log("a revoked key asks in nobody's name")
	p.tenant(`access: {principals: {ann: {ssh: [%q], revoked: true}, bob: ssh: [%q]}, admins: ["bob"]}`, p.public["ann"], p.public["bob"])
	p.by("root")
	p.expect("again Ada <ada@example.com>")
}

// Where commits need no signature, one still gives roles, and none gives none.
func TestWhoAsksWithoutEnforcement(t *testing.T) {
	p := newPetition(t)
	p.platform(`access: {principals: root: ssh: [%q], admins: ["root"]}`, p.public["root"])
	p.by("root")
	p.approve("a", "signed")
	p.by("bob")
	p.approve("b", "unsigned")
	p.Commit("by nobody")
	p.approve("c", "unknown")
	p.by("mallory")
	p.expect("signed acme/bob application-owner", "unsigned Ada <ada@example.com>", "unknown Ada <ada@example.com>")
}

// A file that was taken out and put back by somebody else between two polls is not
// the first one's wish.
func TestAttackPutBack(t *testing.T) {
	p := newPetition(t)
	p.approve("a", "agree")
	p.by("ann")
	got, _ := p.asked()
	require.Equal(t, []string{"agree acme/ann tenant-admin,application-owner"}, got)
	p.Git("rm", "-q", "approvals/acme/shop/a.cue")
	p.by("ann")
	p.approve("a", "agree")
	p.by("bob")
	got, _ = p.asked()
	require.Equal(t, []string{"agree acme/bob application-owner"}, got)
}

// A merge asks in the name of who signed it; and what a signer may not change is
// not asked at all.
func TestAskingByMerge(t *testing.T) {
	p := newPetition(t)
	p.Git("checkout", "-q", "-b", "side")
	p.approve("a", "agree")
	p.Commit("by mallory")
	p.Git("checkout", "-q", "main")
	p.Git("merge", "-q", "--no-ff", "--no-commit", "side")
	p.by("bob")
	p.expect("agree acme/bob application-owner")

	p.Write("approvals/acme/blog/a.cue", "package fleet\n\napproval: a: {run: \"3f2a91c04be7\", step: \"agree\"}\n")
	p.by("bob") // owns shop only
	snap, _ := p.pass()
	require.Len(t, p.approvals.Requests(snap).List, 1)
}

// Who cannot be known is nobody: nothing new counts, and it is said why.
func TestAskersThatAreNotKnown(t *testing.T) {
	p := newPetition(t)
	p.approve("a", "agree")
	p.by("ann")
	p.expect("agree acme/ann tenant-admin,application-owner")
	p.approve("b", "again")
	p.by("ann")
	snap, fleet := p.pass()
	requests := p.approvals.Requests(source.Snapshot{Commit: snap.Commit, Files: snap.Files}) // whose history cannot be read
	commands := p.commands(requests.List, fleet)
	require.Len(t, commands, 1)
	require.Equal(t, "agree", commands[0].Step)
	require.Contains(t, requests.Problems[0].Message, "new ones are ignored until it can: ")
	require.Len(t, p.approvals.Requests(snap).List, 2)
}

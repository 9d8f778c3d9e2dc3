package access_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/model"
)

// A branch is a line of commits as values, and the layers that some of them declare.
type branch struct {
	commits []access.Commit
	layers  map[string]model.Fleet
	asked   []string // the commits whose layers were evaluated
}

// add appends a commit. A nil key signs nothing; a nil fleet leaves the layers alone.
func (b *branch) add(t testing.TB, by *sshKey, fleet *model.Fleet, paths ...string) string {
	if fleet != nil {
		paths = append(paths, "fleet.cue")
	}
	c := commit(paths...)
	c.Hash = fmt.Sprintf("%040x", len(b.commits)+1)
	c.Payload = append(c.Payload, c.Hash...)
	if by != nil {
		c.Signature = by.sign(t, c.Payload)
	}
	b.commits = append(b.commits, c)
	if b.layers == nil {
		b.layers = map[string]model.Fleet{}
	}
	if fleet != nil {
		b.layers[c.Hash] = *fleet
	}
	return c.Hash
}

func (b *branch) tip() string { return b.commits[len(b.commits)-1].Hash }

func (b *branch) evaluate(commit string) (model.Fleet, error) {
	b.asked = append(b.asked, commit)
	return b.layers[commit], nil
}

// line is all of the branch, after a base.
func (b *branch) line(base string) access.Line {
	return access.Line{Tip: b.tip(), Base: base, Commits: b.commits, TipIs: access.Follows}
}

const start = "0123456789012345678901234567890123456789"

// staffed is a platform of root with acme of ann, whose shop is owned by bob.
func staffed(t testing.TB) model.Fleet {
	return model.Fleet{
		Platform: platform([]string{"root"}, principal("root", ed(t, "root"))),
		Tenants: []model.Tenant{tenant("acme", []string{"ann"}, []model.Owners{{App: "shop", Principals: []string{"bob"}}},
			principal("ann", ed(t, "ann")), principal("bob", ed(t, "bob")))},
	}
}

func recordedAt(commit string, f model.Fleet) access.Recorded {
	return access.Recorded{Commit: commit, Platform: f.Platform, Tenants: f.Tenants}
}

const shopFile = "tenants/acme/apps/shop/app.cue"

// TestJudgeCommitByCommit: each commit counts as what held before it allows, and the
// first that is refused ends it.
func TestJudgeCommitByCommit(t *testing.T) {
	root, ann, bob, eve := ed(t, "root"), ed(t, "ann"), ed(t, "bob"), ed(t, "eve")
	appoint := func(admins ...string) *model.Fleet {
		f := staffed(t)
		f.Platform = platform(admins, principal("root", root), principal("eve", eve))
		return &f
	}
	off := staffed(t)
	off.Platform = &model.Platform{}
	unusable := staffed(t)
	unusable.Tenants, unusable.UnusableTenants = nil, []string{"acme"}
	gone := staffed(t)
	gone.Tenants = nil
	for _, c := range []struct {
		name  string
		build func(b *branch)
		good  int // commits that are accepted
		code  string
	}{
		{"nothing", func(b *branch) { b.add(t, bob, nil) }, 1, ""},
		{"all good", func(b *branch) { b.add(t, bob, nil, shopFile); b.add(t, ann, nil, shopFile); b.add(t, root, nil, "x") }, 3, ""},
		{"unsigned", func(b *branch) {
			b.add(t, bob, nil, shopFile)
			b.add(t, nil, nil, shopFile)
			b.add(t, bob, nil, shopFile)
		}, 1, access.CodeUnsigned},
		{"forbidden", func(b *branch) { b.add(t, bob, nil, "x") }, 0, access.CodeForbidden},
		{"own key", func(b *branch) { b.add(t, eve, appoint("root", "eve")) }, 0, access.CodeUnknownKey},
		{"appointed, the commit after counts", func(b *branch) { b.add(t, root, appoint("root", "eve")); b.add(t, eve, nil, "x") }, 2, ""},
		{"dismissed", func(b *branch) { b.add(t, root, appoint("eve")); b.add(t, root, nil, "x") }, 1, access.CodeForbidden},
		{"refused appointment", func(b *branch) { b.add(t, bob, appoint("root", "eve")); b.add(t, eve, nil, "x") }, 0, access.CodeForbidden},
		{"lock-out", func(b *branch) { b.add(t, bob, nil, shopFile); b.add(t, root, appoint()) }, 1, access.CodeLockout},
		{"no valid platform, the last one holds", func(b *branch) { b.add(t, root, &model.Fleet{}); b.add(t, bob, nil, shopFile); b.add(t, nil, nil) }, 2, access.CodeUnsigned},
		{"no valid tenant, the last one holds", func(b *branch) { b.add(t, root, &unusable); b.add(t, bob, nil, shopFile) }, 2, ""},
		{"a tenant that is gone", func(b *branch) { b.add(t, root, &gone); b.add(t, bob, nil, shopFile) }, 1, access.CodeUnknownKey},
		{"switched off", func(b *branch) { b.add(t, root, &off); b.add(t, nil, nil, "x"); b.add(t, eve, nil, "y") }, 3, ""},
		{"switched off and on", func(b *branch) { b.add(t, root, &off); b.add(t, nil, appoint("eve")); b.add(t, nil, nil, "y") }, 2, access.CodeUnsigned},
		{"on without anybody", func(b *branch) { b.add(t, root, &off); b.add(t, nil, appoint()) }, 1, access.CodeLockout},
	} {
		t.Run(c.name, func(t *testing.T) {
			var b branch
			c.build(&b)
			v, err := access.Judge(b.line(start), recordedAt(start, staffed(t)), "", now, b.evaluate)
			require.NoError(t, err)
			require.Equal(t, append([]string{start}, named(b.commits)...)[c.good], v.Commit)
			require.False(t, v.Unavailable)
			if c.code == "" {
				require.Nil(t, v.Refused)
				return
			}
			require.Equal(t, c.code, v.Refused.Code)
			require.Equal(t, b.commits[c.good].Hash, v.Refused.Commit)
			for _, commit := range b.asked {
				require.LessOrEqual(t, slices.Index(named(b.commits), commit), c.good, "nothing after a refused commit is evaluated")
			}
			if c.code != access.CodeLockout {
				require.NotContains(t, b.asked, v.Refused.Commit, "nor what nobody answers for")
			}
		})
	}
}

func named(commits []access.Commit) (names []string) {
	for i := range commits {
		names = append(names, commits[i].Hash)
	}
	return names
}

// TestJudgeLines: how a tip and a trust root lie to what is recorded.
func TestJudgeLines(t *testing.T) {
	const root = "7777777777777777777777777777777777777777"
	on, off := staffed(t), staffed(t)
	off.Platform = &model.Platform{}
	var b branch
	tip := b.add(t, nil, nil, "x") // that nobody has signed
	on.Platform.Name = "on"
	apart := func(is access.Relation, pinned bool) access.Line {
		return access.Line{Tip: tip, Pinned: pinned, TipIs: is}
	}
	rooted := func(is, rootIs access.Relation) access.Line {
		return access.Line{Tip: tip, Base: root, Commits: b.commits, TipIs: is, RootIs: rootIs}
	}
	for _, c := range []struct {
		name        string
		line        access.Line
		recorded    access.Recorded
		root        string
		atRoot      model.Fleet
		commit      string
		code        string
		unavailable bool
	}{
		{name: "the first commit ever", line: access.Line{Tip: tip}, commit: tip},
		{name: "nothing new", line: access.Line{Tip: start, Base: start, TipIs: access.Follows}, recorded: recordedAt(start, on), commit: start},
		{name: "rewritten", line: apart(access.Apart, false), recorded: recordedAt(start, on), commit: start, code: access.CodeRewritten},
		{name: "rewritten and forgotten", line: apart(access.Gone, false), recorded: recordedAt(start, on), commit: start, code: access.CodeRewritten, unavailable: true},
		{name: "too far", line: apart(access.TooFar, false), recorded: recordedAt(start, on), commit: start, code: access.CodeRewritten},
		{name: "set back", line: apart(access.Precedes, false), recorded: recordedAt(start, on), commit: start, code: access.CodeRewritten},
		{name: "pinned back", line: apart(access.Precedes, true), recorded: recordedAt(start, on), commit: tip},
		{name: "pinned elsewhere", line: apart(access.Apart, true), recorded: recordedAt(start, on), commit: start, code: access.CodeRewritten},
		{name: "rewritten where nobody asks for signatures", line: apart(access.Apart, false), recorded: recordedAt(start, off), commit: tip},
		{name: "gone where nobody asks for signatures", line: apart(access.Gone, false), recorded: recordedAt(start, off), commit: tip},
		{name: "a root first", line: rooted("", ""), root: root, atRoot: on, commit: root, code: access.CodeUnsigned},
		{name: "a root without signatures", line: rooted("", ""), root: root, atRoot: off, commit: tip},
		{name: "a root elsewhere", line: access.Line{Tip: tip}, root: root, code: access.CodeNoTrustRoot, unavailable: true},
		{name: "a root without a platform", line: rooted("", ""), root: root, code: access.CodeNoTrustRoot, unavailable: true},
		{name: "a newer root", line: rooted(access.Follows, access.Follows), recorded: recordedAt(start, off), root: root, atRoot: on, commit: root, code: access.CodeUnsigned},
		{name: "a newer root without a platform", line: rooted(access.Follows, access.Follows), recorded: recordedAt(start, on), root: root, commit: root, code: access.CodeUnsigned},
		{name: "a root of another history", line: rooted(access.Apart, access.Apart), recorded: recordedAt(start, on), root: root, atRoot: off, commit: tip},
		{name: "an old root", line: rooted(access.Apart, access.Precedes), recorded: recordedAt(start, on), root: root, atRoot: off, commit: start, code: access.CodeRewritten},
		{name: "a root that cannot be compared", line: rooted(access.Gone, access.Gone), recorded: recordedAt(start, on), root: root, atRoot: off, commit: start, code: access.CodeRewritten, unavailable: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			b.layers = map[string]model.Fleet{root: c.atRoot}
			v, err := access.Judge(c.line, c.recorded, c.root, now, b.evaluate)
			require.NoError(t, err)
			require.Equal(t, c.commit, v.Commit)
			require.Equal(t, c.unavailable, v.Unavailable)
			if c.code == "" {
				require.Nil(t, v.Refused)
				return
			}
			require.Equal(t, c.code, v.Refused.Code)
			require.NotContains(t, v.Refused.Error(), "  ")
		})
	}
}

// TestJudgeWaitsForLayers: a commit whose layers cannot be evaluated now is neither
// accepted nor refused, unless it does not matter any more.
func TestJudgeWaitsForLayers(t *testing.T) {
	var b branch
	f := staffed(t)
	b.add(t, ed(t, "bob"), nil, shopFile)
	b.add(t, ed(t, "root"), &f)
	wait := func(string) (model.Fleet, error) { return model.Fleet{}, errors.New("no memory") }
	_, err := access.Judge(b.line(start), recordedAt(start, f), "", now, wait)
	require.EqualError(t, err, "no memory")
	b.commits = slices.Insert(b.commits, 0, commit("x"))
	v, err := access.Judge(b.line(start), recordedAt(start, f), "", now, wait)
	require.NoError(t, err)
	require.Equal(t, access.CodeUnsigned, v.Refused.Code)
}

// TestLineAfter: what is left of a line is what a new one would say.
func TestLineAfter(t *testing.T) {
	var b branch
	for range 3 {
		b.add(t, nil, nil)
	}
	line := b.line(start)
	rest, ok := line.After(b.commits[1].Hash)
	require.True(t, ok)
	require.Equal(t, access.Line{Tip: b.tip(), Base: b.commits[1].Hash, Commits: b.commits[2:], TipIs: access.Follows}, rest)
	rest, ok = line.After(b.tip())
	require.True(t, ok)
	require.Equal(t, access.Line{Tip: b.tip(), Base: b.tip(), TipIs: access.Follows}, rest)
	for _, other := range []string{"", "elsewhere"} {
		_, ok = line.After(other)
		require.False(t, ok, other)
	}
}

// genBranch draws a branch on which keys, roles and signers change, layers break and
// signatures are asked for or not.
func genBranch(rt *rapid.T, t testing.TB) *branch {
	var b branch
	for range rapid.IntRange(1, 8).Draw(rt, "commits") {
		var declared *model.Fleet
		switch rapid.IntRange(0, 5).Draw(rt, "layers") {
		case 0:
			declared = &model.Fleet{}
		case 1, 2:
			f := genFleet(rt, t)
			declared = &f
		}
		var by *sshKey
		if who := rapid.SampledFrom([]string{"", "ann", "bob", "cyd", "acmeann", "root", "root", "root", "root", "root"}).Draw(rt, "signer"); who != "" {
			by = ed(t, who)
		}
		b.add(t, by, declared, rapid.SliceOfN(genPath, 0, 2).Draw(rt, "paths")...)
	}
	return &b
}

// genFleet draws layers. Root is an admin most of the time.
func genFleet(rt *rapid.T, t testing.TB) (f model.Fleet) {
	f.Platform, f.Tenants = genLayers(rt, t)
	f.Platform.Access.Principals = append(f.Platform.Access.Principals, principal("root", ed(t, "root")))
	if rapid.IntRange(0, 3).Draw(rt, "root is admin") > 0 {
		f.Platform.Access.Admins = append(f.Platform.Access.Admins, "root")
	}
	if rapid.IntRange(0, 4).Draw(rt, "off") == 0 {
		f.Platform.Access.Enforce = ""
	}
	for i := len(f.Tenants) - 1; i >= 0; i-- {
		if rapid.IntRange(0, 3).Draw(rt, "unusable") == 0 {
			f.UnusableTenants = append(f.UnusableTenants, f.Tenants[i].Name)
			f.Tenants = slices.Delete(f.Tenants, i, i+1)
		}
	}
	return f
}

// slowJudge is Judge as one would say it: for each commit, what held before it is put
// together anew from all that was accepted. It returns what is recorded at the end.
func slowJudge(commits []access.Commit, layers map[string]model.Fleet, recorded access.Recorded, now time.Time) (access.Recorded, *access.Violation) {
	accepted := []model.Fleet{{Platform: recorded.Platform, Tenants: recorded.Tenants}} // layers, the oldest first
	tenantAt := func(n int, name string) *model.Tenant {
		for ; n >= 0; n-- {
			f := accepted[n]
			for i := range f.Tenants {
				if f.Tenants[i].Name == name {
					return &f.Tenants[i]
				}
			}
			if f.Platform != nil && !slices.Contains(f.UnusableTenants, name) {
				return nil // it was taken out
			}
		}
		return nil
	}
	held := func(commit string) access.Recorded {
		n := len(accepted) - 1
		for accepted[n].Platform == nil {
			n--
		}
		r := access.Recorded{Commit: commit, Platform: accepted[n].Platform}
		for _, name := range []string{"acme", "globex"} {
			if t := tenantAt(n, name); t != nil {
				r.Tenants = append(r.Tenants, *t)
			}
		}
		return r
	}
	good := recorded.Commit
	for _, c := range commits {
		before := held(good)
		if p := access.New(before.Platform, before.Tenants); p.Enforced() {
			if _, refused := p.Verify(c, now); refused != nil {
				return before, refused
			}
		}
		if c.SaysWho() {
			accepted = append(accepted, layers[c.Hash])
			after := held(c.Hash)
			if p := access.New(after.Platform, after.Tenants); p.Enforced() && !p.Governed(now) {
				return before, &access.Violation{Code: access.CodeLockout, Commit: c.Hash}
			}
		}
		good = c.Hash
	}
	return held(good), nil
}

// TestJudgeAsItsTwin: on random branches, Judge finds what the slow twin finds, and the
// same when the branch comes in two fetches.
func TestJudgeAsItsTwin(t *testing.T) {
	judge := func(rt *rapid.T, b *branch, recorded access.Recorded, commits []access.Commit) access.Verdict {
		line := access.Line{Tip: recorded.Commit, Base: recorded.Commit, Commits: commits, TipIs: access.Follows}
		if len(commits) > 0 {
			line.Tip = commits[len(commits)-1].Hash
		}
		v, err := access.Judge(line, recorded, "", now, b.evaluate)
		require.NoError(rt, err)
		return v
	}
	rapid.Check(t, func(rt *rapid.T) {
		first := genFleet(rt, t)
		recorded := recordedAt(start, first)
		b := genBranch(rt, t)
		v := judge(rt, b, recorded, b.commits)
		want, refused := slowJudge(b.commits, b.layers, recorded, now)
		require.Equal(rt, want.Commit, v.Commit)
		require.Equal(rt, refused == nil, v.Refused == nil)
		if refused != nil {
			require.Equal(rt, refused.Code, v.Refused.Code)
			require.Equal(rt, refused.Commit, v.Refused.Commit)
		}

		n := rapid.IntRange(0, len(b.commits)).Draw(rt, "commits of the first fetch")
		if half := judge(rt, b, recorded, b.commits[:n]); half.Refused != nil {
			require.Equal(rt, v, half)
			return
		}
		between, _ := slowJudge(b.commits[:n], b.layers, recorded, now)
		require.Equal(rt, v, judge(rt, b, between, b.commits[n:]))
	})
}

// FuzzJudge: whatever line comes out of a repository, what is accepted is on it or was
// recorded, and nothing unsigned is accepted where signatures are asked for.
func FuzzJudge(f *testing.F) {
	f.Add("follows", "", start, "", true, false, "ann", "tenants/acme/x\nfleet.cue", []byte("-----BEGIN SSH SIGNATURE-----\n"))
	f.Add("apart", "precedes", "root", "root", true, true, "", "x", []byte(nil))
	f.Add("gone", "follows", "root", "root", false, false, "root", "fleet.cue", []byte(nil))
	f.Fuzz(func(t *testing.T, tipIs, rootIs, base, root string, enforced, pinned bool, signer, paths string, foreign []byte) {
		recorded := staffed(t)
		if !enforced {
			recorded.Platform.Access.Enforce = ""
		}
		var b branch
		list := strings.Split(paths, "\n")
		if key := signer; key != "" {
			b.add(t, ed(t, key), nil, list...)
		}
		b.add(t, nil, nil, list...)
		last := &b.commits[len(b.commits)-1]
		last.Signature = foreign
		line := access.Line{Tip: b.tip(), Pinned: pinned, Base: base, Commits: b.commits, TipIs: access.Relation(tipIs), RootIs: access.Relation(rootIs)}
		if base == "" {
			line.Commits = nil
		}
		v, err := access.Judge(line, recordedAt(start, recorded), root, now, func(string) (model.Fleet, error) { return recorded, nil })
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(append(named(b.commits), start, base), v.Commit) {
			t.Fatalf("accepted %q", v.Commit)
		}
		if v.Refused != nil && (v.Refused.Code == "" || v.Refused.Reason == "" || v.Refused.Hint == "" || v.Commit == b.tip()) {
			t.Fatalf("%+v", v)
		}
		if enforced && v.Commit == b.tip() && !(pinned && line.TipIs == access.Precedes) {
			t.Fatal("a commit with foreign bytes for a signature is accepted")
		}
	})
}

package evaluate

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/model"
)

// staged is a tenant with two applications that share a package, and one that does not.
func staged(t *testing.T) *txtar.Archive {
	return &txtar.Archive{Files: append(archive(t, "base.txtar").Files, txtar.Parse([]byte(`
-- cue.mod/module.cue --
module: "fleet.example@v0"
language: version: "v0.17.0"
-- tenants/globex/tenant.cue --
package fleet

tenant: name: "globex"
-- tenants/globex/apps/other/app.cue --
package fleet

application: {name: "other", labels: team: "api", components: c: {type: "worker", properties: image: "ghcr.io/acme/c:1"}}
-- tenants/acme/lib/store/store.cue --
package store

import "strings"

common: {
	labels: team: strings.ToLower("WEB")
	components: web: {
		type: "webservice"
		properties: {image: "ghcr.io/acme/store:1", ports: [{port: 8080}]}
	}
}
#Image: {tag: string, ref: "ghcr.io/acme/mail:\(tag)"}
-- tenants/acme/apps/staging/app.cue --
package fleet

import "fleet.example/tenants/acme/lib/store"

application: {
	store.common
	name: "staging"
	components: mail: {type: "worker", properties: image: (store.#Image & {tag: "2"}).ref}
}
-- tenants/acme/apps/production/app.cue --
package fleet

import lib "fleet.example/tenants/acme/lib/store"

application: lib.common & {
	name: "production"
	components: web: replicas: 3
}
`)).Files...)}
}

func byName(t *testing.T, f model.Fleet, name string) *model.Application {
	for _, a := range f.Applications {
		if a.ID.Name == name {
			return a
		}
	}
	require.Fail(t, "there is no application "+name, report(f))
	return nil
}

// Applications say once what they have in common, and each what is its own. The places of
// both are known.
func TestApplicationsShareAPackage(t *testing.T) {
	f := New().Fleet("c", unpack(staged(t)), nil)
	require.Empty(t, report(f))
	production, staging := byName(t, f, "production"), byName(t, f, "staging")
	require.Equal(t, map[string]string{"team": "web"}, production.Labels)
	require.Equal(t, 3, production.Components[0].Replicas)
	mail, _ := staging.Component("mail")
	require.JSONEq(t, `{"image": "ghcr.io/acme/mail:2"}`, string(mail.Properties))
	web, _ := staging.Component("web")
	require.Equal(t, 1, web.Replicas)
	require.Equal(t, production.Components[0].Properties, web.Properties)
}

// The cue command sees the same.
func TestCueVetSeesPackages(t *testing.T) {
	good := checkout(t, staged(t))
	bad := checkout(t, staged(t), overlay("tenants/acme/lib/store/more.cue", "package store\n\ncommon: components: web: replicas: 9\n"))
	require.NoError(t, runCue(t, good, "vet", "-c", "./tenants/..."))
	require.ErrorContains(t, runCue(t, bad, "vet", "-c", "./tenants/acme/apps/staging"), "DA1203")
}

// A mistake in a package is one of the applications that import it, and of nobody else. What
// a package says of a definition is expanded like any other.
func TestChangesOfAPackage(t *testing.T) {
	e := New()
	before := e.Fleet("1", unpack(staged(t)), nil)
	change := func(text string) model.Fleet {
		return e.Fleet(text, unpack(staged(t), overlay("tenants/acme/lib/store/more.cue", "package store\n\n"+text+"\n")), nil)
	}
	for name, text := range map[string]string{"syntax": "common: {", "field": "common: componets: {}", "policy": "common: components: web: replicas: 9", "conflict": "common: labels: team: \"api\""} {
		t.Run(name, func(t *testing.T) {
			f := change(text)
			require.Len(t, f.Unusable, 2, report(f))
			require.Contains(t, report(f), "\n  tenants/acme/apps/production/app.cue:")
			require.Contains(t, report(f), "\n  tenants/acme/lib/store/")
			for _, name := range []string{"shop", "other"} {
				require.Equal(t, byName(t, before, name).Digest, byName(t, f, name).Digest)
			}
		})
	}
	f := change("common: priority: 200")
	require.Empty(t, report(f))
	require.Equal(t, 200, byName(t, f, "staging").Priority)
	f = change("common: components: cache: {type: \"redis\", properties: version: \"7\"}")
	require.Contains(t, report(f), "DA1210")
	defined := overlay("tenants/acme/definitions.cue", "package fleet\n\ntenant: definitions: components: redis: {\n\t#Parameter: version!: string\n\tparameter: #Parameter\n\texample: version: \"7\"\n"+
		"\toutput: {type: \"worker\", properties: image: \"ghcr.io/acme/redis:\\(parameter.version)\"}\n}\n")
	f = e.Fleet("d", unpack(staged(t), defined, overlay("tenants/acme/lib/store/more.cue", "package store\n\ncommon: components: cache: {type: \"redis\", properties: version: \"7\"}\n")), nil)
	require.Empty(t, report(f))
	cache, _ := byName(t, f, "production").Component("cache")
	require.Equal(t, "redis", cache.Definition)

	// Another name of the module is another import.
	f = e.Fleet("m", unpack(staged(t), overlay("cue.mod/module.cue", "module: \"renamed.example\"\n")), nil)
	require.Equal(t, 2, strings.Count(report(f), "DA1611"), report(f))
}

// A pinned application has the packages of its commit, under today's policy.
func TestPinnedPackages(t *testing.T) {
	now := unpack(staged(t), overlay("tenants/acme/lib/store/more.cue", "package store\n\ncommon: priority: 200\n"),
		overlay("tenants/acme/more.cue", "package fleet\n\ntenant: releases: production: commit: \""+pinnedCommit+"\"\n"))
	f := New().Fleet("c", now, func(commit string) (Files, error) {
		if commit != pinnedCommit {
			return nil, errors.New("no such commit")
		}
		return unpack(staged(t)), nil
	})
	require.Empty(t, report(f))
	require.Equal(t, 200, byName(t, f, "staging").Priority)
	require.Equal(t, 100, byName(t, f, "production").Priority)
}

// The packages that one application imports are bounded together.
func TestLargePackages(t *testing.T) {
	var files []*txtar.Archive
	imports, uses := "", ""
	for _, name := range []string{"a", "b", "c"} {
		files = append(files, overlay("tenants/acme/lib/"+name+"/x.cue", "package "+name+"\n\n// "+strings.Repeat("x", 100<<10)+"\nlabels: {}\n"))
		imports += "import \"fleet.example/tenants/acme/lib/" + name + "\"\n"
		uses += "application: labels: " + name + ".labels\n"
	}
	f := New().Fleet("c", unpack(append(append([]*txtar.Archive{staged(t)}, files...), overlay("tenants/acme/apps/shop/more.cue", "package fleet\n\n"+imports+uses))...), nil)
	require.Equal(t, "DA1612", f.Unusable[0].Code, report(f))
	require.Len(t, f.Applications, 3)
}

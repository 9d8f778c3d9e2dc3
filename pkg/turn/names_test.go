package turn_test

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/d-aros/d-aros/pkg/evaluate"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render"
	"github.com/d-aros/d-aros/pkg/turn"
	"github.com/d-aros/d-aros/test/inprocess"
)

var update = flag.Bool("update", false, "write golden files anew")

// tree is an immutable tree of files.
type tree struct{ fs.FS }

func (t tree) Digest(name string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(t.FS, name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(t.FS, p)
		fmt.Fprintf(h, "%s %d\n%s", strings.TrimPrefix(p, name), len(data), data)
		return err
	})
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// unpack is the tree of archives; an empty file takes an earlier one away.
func unpack(archives ...*txtar.Archive) tree {
	files := fstest.MapFS{}
	for _, a := range archives {
		for _, f := range a.Files {
			files[f.Name] = &fstest.MapFile{Data: f.Data, Mode: 0o644}
			if len(f.Data) == 0 {
				delete(files, f.Name)
			}
		}
	}
	return tree{files}
}

func parse(t *testing.T, name string) *txtar.Archive {
	a, err := txtar.ParseFile(name)
	require.NoError(t, err)
	return a
}

// check evaluates files and checks their renderings.
func check(t *testing.T, files tree) (model.Fleet, *turn.Checked) {
	return turn.CheckRenderings(evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", files, nil), turn.Renderings{Fleet: "test", Builds: func(a *model.Application) (render.Builds, error) {
		if dir, err := fs.Sub(files, "tenants/"+a.ID.Tenant+"/apps/"+a.ID.Name); err == nil {
			return render.Builder{}.Build(a, dir)
		}
		return nil, errors.New("it is gone")
	}})
}

// TestNamesOfOthers: what an application may not take because of others, and what cannot be rendered, is said with
// the places of both sides, and only that application is refused.
func TestNamesOfOthers(t *testing.T) {
	base := parse(t, "../evaluate/testdata/base.txtar")
	examples, err := filepath.Glob("testdata/problems/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, name := range examples {
		code, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(name), ".txtar"), "-")
		t.Run(filepath.Base(name), func(t *testing.T) {
			example := parse(t, name)
			files, want := &txtar.Archive{}, ""
			for _, f := range example.Files {
				if f.Name == "want" {
					want = string(f.Data)
					continue
				}
				files.Files = append(files.Files, f)
			}
			fleet, checked := check(t, unpack(base, files))
			fleet = checked.Settle(fleet)
			var got strings.Builder
			for _, p := range fleet.Problems {
				require.Equal(t, code, p.Code, "%s", p)
				if !strings.HasPrefix(code, "DA17") { // rules of rendering have no other side
					require.Len(t, p.Places, 2, "%s", p)
				}
				require.NotEmpty(t, p.Places, "%s", p)
				got.WriteString(p.String() + "\n")
			}
			require.Len(t, fleet.Unusable, 1)
			if *update {
				files.Files = append(files.Files, txtar.File{Name: "want", Data: []byte(got.String())})
				require.NoError(t, os.WriteFile(name, txtar.Format(files), 0o644))
				want = got.String()
			}
			require.Equal(t, want, got.String())
		})
	}
}

// variants are the ways in which a tenant's application may name a host.
var variants = map[string]string{
	"trait":     `components: web: {type: "webservice", properties: {image: "ghcr.io/acme/a:1", ports: [{port: 80}]}, traits: ingress: [{host: "HOST", port: 80}]}`,
	"raw":       `components: r: {type: "raw", properties: objects: [{apiVersion: "networking.k8s.io/v1", kind: "Ingress", metadata: name: "a", spec: rules: [{host: "HOST"}]}]}`,
	"route":     `components: r: {type: "raw", properties: objects: [{apiVersion: "gateway.networking.k8s.io/v1", kind: "HTTPRoute", metadata: name: "a", spec: hostnames: ["HOST"]}]}`,
	"kustomize": `components: k: {type: "kustomize", properties: path: "k"}`,
}

// fleetWith is a fleet in which globex/site serves shop.example.com, and acme/a is as
// given. Files are further ones.
func fleetWith(acme, image string, files ...txtar.File) tree {
	all := []txtar.File{
		{Name: "fleet.cue", Data: []byte(`package fleet

import "d-aros.dev/schema"

schema.#Fleet

platform: {
	name: "example"
	policy: {
		limits: {maxReplicas: 50, priorityCeiling: 1000, maxShare: 1}
		images: registries: ["ghcr.io/acme"]
		runtimes: ["container"]
		kinds: ["Ingress", "HTTPRoute.gateway.networking.k8s.io", "ConfigMap", "Service", "VirtualService.networking.istio.io"]
	}
	pools: general: capacity: {cpu: "100", memory: "100Gi"}
	allotments: {acme: {}, globex: {}}
}
`)},
		{Name: "tenants/acme/tenant.cue", Data: []byte("package fleet\n\ntenant: name: \"acme\"\n")},
		{Name: "tenants/globex/tenant.cue", Data: []byte("package fleet\n\ntenant: name: \"globex\"\n")},
		{Name: "tenants/globex/apps/site/app.cue", Data: []byte("package fleet\n\napplication: {\n\tname: \"site\"\n\t" +
			strings.NewReplacer("HOST", "shop.example.com", "acme/a:1", "acme/site:"+image).Replace(variants["trait"]) + "\n}\n")},
	}
	if acme != "" {
		all = append(all, txtar.File{Name: "tenants/acme/apps/a/app.cue", Data: []byte("package fleet\n\napplication: {\n\tname: \"a\"\n\t" + acme + "\n}\n")})
	}
	return unpack(&txtar.Archive{Files: append(all, files...)})
}

// TestATenantDoesNotFreezeAnother: a tenant names the host of another one, in every way in
// which it can. It alone is refused and told whose the host is, and a change of the other
// one is taken in the same pass. When the host is given up and that runs, it is free.
func TestATenantDoesNotFreezeAnother(t *testing.T) {
	site, newcomer := model.AppID{Tenant: "globex", Name: "site"}, model.AppID{Tenant: "acme", Name: "a"}
	take := func(files tree, ledger model.Ledger) turn.Outcome {
		fleet, checked := turn.CheckRenderings(evaluate.Through(inprocess.By[evaluate.Worker]()).Fleet("c", files, nil), turn.Renderings{Fleet: "test", Ledger: &ledger, Builds: func(a *model.Application) (render.Builds, error) {
			dir, err := fs.Sub(files, "tenants/"+a.ID.Tenant+"/apps/"+a.ID.Name)
			if err != nil {
				return nil, err
			}
			return render.Builder{}.Build(a, dir)
		}})
		require.Empty(t, fleet.Problems)
		return turn.Take(turn.Case{Fleet: fleet, Checked: checked, Ledger: ledger, Now: now,
			Seen: model.Observation{Pools: []model.Pool{{Name: "general", Capacity: model.Resources{CPU: 100_000, Memory: 100 << 30}}}}})
	}
	for kind, variant := range variants {
		for _, host := range []string{"shop.example.com", "*.example.com"} {
			t.Run(kind+" "+host, func(t *testing.T) {
				wants := strings.ReplaceAll(variant, "HOST", host)
				var more []txtar.File
				if kind == "kustomize" {
					more = append(more, txtar.File{Name: "tenants/acme/apps/a/k/kustomization.yaml", Data: []byte("resources: [a.yaml]\n")},
						txtar.File{Name: "tenants/acme/apps/a/k/a.yaml", Data: []byte(`{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}, spec: {rules: [{host: "` + host + `"}]}}`)})
				}
				ledger := take(fleetWith("", "1"), model.Ledger{}).Next
				out := take(fleetWith(wants, "2", more...), ledger)
				require.Len(t, out.Fleet.Unusable, 1)
				require.Equal(t, newcomer, out.Fleet.Unusable[0].App)
				require.Contains(t, out.Fleet.Unusable[0].Message, "globex/site, which had it first")
				require.Equal(t, "DA1508", out.Next.Problems[0].Code)
				inst, _ := out.Next.Find(site)
				require.Contains(t, string(inst.Spec.Components[0].Properties), "site:2", "the owner's change is taken")
				waits, _ := out.Next.Find(newcomer)
				require.Nil(t, waits.Spec)

				gone := fleetWith(wants, "3", append(more, txtar.File{Name: "tenants/globex/apps/site/more.cue", Data: nil})...)
				gone.FS.(fstest.MapFS)["tenants/globex/apps/site/app.cue"].Data = []byte("package fleet\n\napplication: {\n\tname: \"site\"\n\t" + strings.ReplaceAll(variants["trait"], "HOST", "other.example.org") + "\n}\n")
				out = take(gone, out.Next)
				require.Len(t, out.Fleet.Unusable, 1, "what runs still serves it")
				require.Contains(t, out.Fleet.Unusable[0].Message, "it is free when globex/site runs as Git declares it")
				for i := range out.Next.Instances { // the update has ended
					out.Next.Instances[i].Previous = nil
				}
				require.Empty(t, take(gone, out.Next).Fleet.Unusable)
			})
		}
	}
}

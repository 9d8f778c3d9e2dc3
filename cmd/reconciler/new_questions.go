package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/d-aros/d-aros/pkg/evaluate/layer"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
)

// hold asks for all that a declaration needs.
func (i *interview) hold() (err error) {
	if i.offers, err = i.base.Offers(""); err != nil {
		return err
	}
	if err := i.names(); err != nil {
		return err
	}
	if i.offers, err = i.base.Offers(i.d.App.Tenant); err != nil {
		return err
	}
	switch i.d.Noun {
	case offline.NewTenant:
		return i.tenant()
	case offline.NewApplication:
		return i.application()
	case offline.NewComponent:
		return i.component("")
	}
	return i.step()
}

// names asks for the names that the arguments do not have.
func (i *interview) names() (err error) {
	free := func(set func(name string)) func(string) error {
		return func(name string) error {
			if !model.ValidName(name) {
				return errors.New(nameRule)
			}
			set(name)
			_, err := i.d.Draft(i.base.Files()) // tells what exists
			return err
		}
	}
	d := i.d
	switch {
	case d.App.Tenant != "":
		_, err = d.Draft(i.base.Files())
	case d.Noun == offline.NewTenant:
		_, err = i.answer(question{title: "Name of the tenant, such as a team or a customer"}, free(func(n string) { d.App.Tenant = n }))
	case d.Noun == offline.NewApplication:
		tenants := model.Names(i.offers.Fleet.Tenants)
		if len(tenants) == 0 {
			return errors.New("the fleet has no tenant; \"reconciler new tenant\" makes one")
		}
		if d.App.Tenant, err = i.answer(question{title: "Tenant", options: tenants}, fine); err == nil {
			_, err = i.answer(question{title: "Name of the application"}, free(func(n string) { d.App.Name = n }))
		}
	default:
		var apps []string
		for _, a := range i.offers.Fleet.Applications {
			apps = append(apps, a.ID.String())
		}
		if len(apps) == 0 {
			return errors.New("the fleet has no application; \"reconciler new application\" makes one")
		}
		var app string
		if app, err = i.answer(question{title: "Application", options: apps}, fine); err == nil {
			d.App, err = model.ParseAppID(app)
		}
	}
	if err == nil && d.Name == "" && needsName(d.Noun) {
		_, err = i.answer(question{title: "Name of the " + string(d.Noun)}, free(func(n string) { d.Name = n }))
	}
	return err
}

func fine(string) error { return nil }

// all asks questions one after the other.
func (i *interview) all(questions ...question) error {
	for _, q := range questions {
		if err := i.ask(q); err != nil {
			return err
		}
	}
	return nil
}

func (i *interview) tenant() error {
	for _, of := range []struct{ path, cpu, memory string }{
		{"quota.", "The most CPU of all its applications together, such as 16", "The most memory, such as 64Gi"},
		{"guarantee.", "CPU that no other tenant can take, such as 4", "Memory that no other tenant can take, such as 16Gi"},
	} {
		known := len(i.d.Settings())
		if err := i.ask(question{path: of.path + "cpu", title: of.cpu, optional: true}); err != nil {
			return err
		}
		alone := len(i.d.Settings()) == known // a quota is of both, or of none
		if err := i.ask(question{path: of.path + "memory", title: of.memory, optional: alone || of.path != "quota."}); err != nil {
			return err
		}
	}
	return i.all(
		question{path: "weight", title: "Weight when the rest is shared, from 1 to 1000", optional: true},
		question{path: "quota.priorityCeiling", title: "The highest priority of its applications", optional: true},
	)
}

func (i *interview) application() error {
	for _, t := range i.offers.Fleet.Tenants {
		if t.Name != i.d.App.Tenant {
			continue
		}
		for _, label := range t.Policy.RequiredLabels {
			if err := i.ask(question{path: "labels." + quotedName(label), title: "Label " + label + ", which the policy asks for"}); err != nil {
				return err
			}
		}
	}
	if err := i.ask(question{path: "priority", title: "Priority", optional: true}); err != nil {
		return err
	}
	name, err := i.answer(question{title: "Name of its first component, such as web"}, func(name string) error {
		if !model.ValidName(name) {
			return errors.New(nameRule)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return i.component("components." + name + ".")
}

// typeOf asks for a type.
func (i *interview) typeOf(path string, types []offline.OfferedType) (offline.OfferedType, error) {
	var names []string
	for _, t := range types {
		names = append(names, t.Name)
	}
	name, err := i.answer(question{title: "Type", options: names}, fine)
	if err != nil {
		return offline.OfferedType{}, err
	}
	n := slices.Index(names, name)
	return types[n], i.d.Set(i.d.Prefix() + path + "type=" + name)
}

// component asks for a component at a path below what is declared.
func (i *interview) component(at string) error {
	// An external secret or raw objects are lists that nobody types line by line.
	offered := slices.DeleteFunc(slices.Clone(i.offers.ComponentTypes), func(t offline.OfferedType) bool {
		return t.Name == "external-secret" || t.Name == "raw"
	})
	of, err := i.typeOf(at, offered)
	if err != nil {
		return err
	}
	image := question{path: at + "properties.image", title: "Image, such as ghcr.io/acme/shop:1.4.2"}
	port := question{path: at + "properties.ports", title: "Port that it listens on", optional: true, value: func(answer string) string {
		if _, err := strconv.Atoi(answer); err != nil {
			answer = quotedName(answer) // the schema says what is wrong with it
		}
		return `[{"port":` + answer + `}]`
	}}
	switch of.Name {
	case "webservice", "store":
		err = i.all(image, port)
	case "worker", "daemon", "job":
		err = i.all(image)
	case "vm":
		err = i.all(question{path: at + "properties.image", title: "Image of the disk that it boots from, such as ghcr.io/acme/fedora:42"}, port)
	case "windows-service":
		err = i.all(image, question{path: at + "properties.service", title: "Service of Windows in the image, such as w3svc"}, port)
	case "cron":
		err = i.all(image, question{path: at + "properties.schedule", title: `When it starts, such as 30 2 * * * or @daily`})
	case "kustomize":
		err = i.all(question{path: at + "properties.path", title: "Directory with the kustomization, inside that of the application"})
	case "helm":
		err = i.all(question{path: at + "properties.chart", title: "Directory with the chart, inside that of the application"})
	case "external":
		err = i.all(question{path: at + "properties.address", title: "Where it is: host:port, or an https address"})
	case "secret":
		err = i.all(question{path: at + "properties.sops", title: "File that SOPS encrypted, beside the CUE files, such as db.enc.yaml"})
	case "config":
		var key string
		if key, err = i.answer(question{title: "Its first key, such as LOG_LEVEL"}, fine); err == nil {
			err = i.all(question{path: at + "properties.data." + quotedName(key), title: "The value of " + key})
		}
	}
	for _, p := range of.Example {
		if err == nil {
			err = i.ask(question{path: at + "properties." + p.Path, title: fmt.Sprintf("%s, such as %s", p.Path, p.Value), optional: true})
		}
	}
	if err != nil || of.Name == "config" || of.Name == "secret" || of.Name == "kustomize" || of.Name == "helm" || of.Name == "external" {
		return err
	}
	return i.all(i.room(at, of)...)
}

// room are the questions for what a component that runs needs.
func (i *interview) room(at string, of offline.OfferedType) (list []question) {
	if !of.Defined {
		if of.Name != "daemon" {
			list = append(list, question{path: at + "replicas", title: "Replicas", optional: true})
		}
		list = append(list,
			question{path: at + "resources.requests.cpu", title: "CPU of one replica, such as 500m", optional: true},
			question{path: at + "resources.requests.memory", title: "Memory of one replica, such as 512Mi", optional: true})
	}
	var pools []string
	if i.offers.Fleet.Platform != nil {
		pools = model.Names(i.offers.Fleet.Platform.Pools)
	}
	if len(pools) > 1 && !of.Defined {
		list = append(list, question{path: at + "placement.pool", title: "Pool", options: pools, optional: true})
	}
	if app := i.there(); app != nil && i.d.Noun == offline.NewComponent {
		list = append(list, question{path: at + "dependsOn", title: "Components that must be ready before", options: model.Names(app.Components), many: true, optional: true})
	}
	return list
}

// there returns the application as it is declared now, nil if it is not.
func (i *interview) there() *model.Application {
	for _, a := range i.offers.Fleet.Applications {
		if a.ID == i.d.App {
			return a
		}
	}
	return nil
}

func (i *interview) step() error {
	of, err := i.typeOf("", i.offers.StepTypes)
	if err != nil {
		return err
	}
	app := i.there()
	if app == nil {
		return fmt.Errorf("%s has errors; \"reconciler vet\" tells which", i.d.App)
	}
	all := model.Names(app.Components)
	steps := model.Names(app.Steps())
	var jobs []string
	for _, c := range app.Components {
		if c.Type == "job" {
			jobs = append(jobs, c.Name)
		}
	}
	url := question{path: "properties.url", title: "URL, such as https://hooks.example.com/path"}
	switch of.Name {
	case "deploy", "canary", "blue-green":
		err = i.all(question{path: "components", title: "Components that it brings", options: all, many: true, optional: of.Name == "deploy"})
		if err == nil && of.Name == "canary" {
			err = i.all(question{path: "properties.stages", title: "Percentage of the first stage, which people move on", value: func(answer string) string {
				if _, err := strconv.Atoi(answer); err != nil {
					answer = quotedName(answer)
				}
				return `[{"weight":` + answer + `,"manual":true}]`
			}})
		}
	case "job":
		if len(jobs) == 0 {
			return fmt.Errorf("%s has no component of type job; \"reconciler new component %s\" adds one", i.d.App, i.d.App)
		}
		err = i.all(question{path: "component", title: "Component that it runs", options: jobs})
	case "wait":
		err = i.all(question{path: "properties.for", title: "How long, such as 10m"})
	case "approval":
		err = i.all(question{path: "properties.roles", title: "Roles that may approve it", options: []string{"platform-admin", "tenant-admin", "application-owner"}, many: true, optional: true})
	case "check":
		err = i.all(url, question{path: "properties.success", title: "When it is good, such as status == 200"})
	case "notify":
		err = i.all(url)
	}
	for _, p := range of.Example {
		if err == nil {
			err = i.ask(question{path: "properties." + p.Path, title: fmt.Sprintf("%s, such as %s", p.Path, p.Value), optional: true})
		}
	}
	if err != nil || len(steps) == 0 || i.base.Says(layer.ApplicationDir(i.d.App), "application", "workflow", "order") {
		return err
	}
	return i.all(question{path: "dependsOn", title: "Steps that it follows", options: steps, many: true, optional: true})
}

// quotedName writes a name as one in a path.
func quotedName(name string) string { return strconv.Quote(name) }

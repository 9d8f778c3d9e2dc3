package apply

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unique"

	"github.com/tidwall/gjson"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/common"

	"github.com/d-aros/d-aros/pkg/render"
)

// observe reads the kept part of an object.
func (l *Live) observe(u *unstructured.Unstructured) *Object {
	o, err := l.read(string(encode(u.Object)))
	if err != nil {
		panic("apply: read what was encoded: " + err.Error())
	}
	return o
}

// read reads the kept part of an object from JSON. It does not decode the rest, and keeps no part of the text.
func (l *Live) read(text string) (*Object, error) {
	object := gjson.Parse(text)
	if !object.IsObject() {
		return nil, errors.New("the API server told something that is no object")
	}
	version := at(object, "apiVersion").Str
	o := &Object{Ref: Ref{Group: strings.Clone(groupOf(version)), Kind: textOf(object, "kind")}}
	var labels, annotations, owners, managed gjson.Result
	at(object, "metadata").ForEach(func(k, v gjson.Result) bool { // once: most of its bytes are managed fields
		switch k.Str {
		case "namespace":
			o.Namespace = strings.Clone(v.Str)
		case "name":
			o.Name = strings.Clone(v.Str)
		case "uid":
			o.UID = strings.Clone(v.Str)
		case "resourceVersion":
			o.Version = strings.Clone(v.Str)
		case "deletionTimestamp":
			o.Deleting = v.Str != ""
		case "labels":
			labels = v
		case "annotations":
			annotations = v
		case "ownerReferences":
			owners = v
		case "managedFields":
			managed = v
		}
		return true
	})
	said := l.labels(o, labels)
	owner := o.annotations(annotations)
	if o.adopted != "" {
		o.labels = texts(labels)
	}
	owners.ForEach(func(_, r gjson.Result) bool {
		if !at(r, "controller").Bool() {
			return true
		}
		o.Owner = Ref{strings.Clone(groupOf(at(r, "apiVersion").Str)), textOf(r, "kind"), o.Namespace, textOf(r, "name")}
		return false
	})
	applied := ""
	managed.ForEach(func(_, c gjson.Result) bool {
		var by, operation, subresource, of, time string
		var fields gjson.Result
		c.ForEach(func(k, v gjson.Result) bool { // once, as above
			switch k.Str {
			case "manager":
				by = v.Str
			case "operation":
				operation = v.Str
			case "subresource":
				subresource = v.Str
			case "apiVersion":
				of = v.Str
			case "time":
				time = v.Str
			case "fieldsV1":
				fields = v
			}
			return true
		})
		if !fields.IsObject() || by != l.client.manager || operation != "Apply" || subresource != "" {
			return true
		}
		if at(at(at(fields, "f:metadata"), "f:annotations"), "f:"+render.AnnotationOwner).Exists() {
			applied = owner
		}
		var own []byte
		if of == version {
			own = heldPart(object, fields)
		} else { // the fields are those of another version than the watched one
			own = fmt.Appendf(nil, `{"fields":%s,"time":%q}`, heldPart(fields, gjson.Result{}), time)
		}
		o.own, o.left = pack(own), markOf(own)
		return true
	})
	o.owner = unique.Make(applied)
	if o.labelled && isInventory(o.Ref, said.inventory, o.App) {
		o.inventory = readInventory(texts(at(object, "data")), strings.Clone(said.ledger))
	}
	if l.summary != nil {
		u, err := decodeObject([]byte(text))
		if err != nil {
			return nil, err
		}
		o.Summary = l.summary(u)
	}
	return o, nil
}

// marking is what labels say of an inventory. It is part of the text of the object.
type marking struct{ inventory, ledger string }

// labels reads the labels of an object, once for all.
func (l *Live) labels(o *Object, all gjson.Result) (said marking) {
	eachText(all, func(name, text string) {
		switch name {
		case render.LabelTenant:
			o.App.Tenant = strings.Clone(text)
		case render.LabelApplication:
			o.App.Name = strings.Clone(text)
		case render.LabelComponent:
			o.Component = strings.Clone(text)
		case render.LabelFleet:
			o.labelled = text == l.fleet
		case render.LabelInstance:
			n, _ := strconv.ParseInt(text, 10, 32)
			o.instance = int32(n)
		case render.LabelLedger:
			said.ledger = text
		case common.InventoryLabel:
			said.inventory = text
		}
	})
	return said
}

// annotations reads the annotations of an object, and returns the owner that they name: part of the text of the object.
func (o *Object) annotations(all gjson.Result) (owner string) {
	commit, keep := "", false
	eachText(all, func(name, text string) {
		switch name {
		case render.AnnotationWorkload:
			o.Workload = strings.Clone(text)
		case render.AnnotationApplied:
			o.applied = strings.Clone(text)
		case render.AnnotationCommit:
			commit = text
		case render.AnnotationAdopted:
			o.adopted = strings.Clone(text)
		case render.AnnotationPrune:
			keep = text == render.PruneKeep
		case render.AnnotationOwner:
			owner = text
		}
	})
	o.commit, o.keep = unique.Make(commit), keep || o.adopted == render.AdoptedKeep
	return owner
}

// eachText calls a function with the fields of a JSON object. One that is no text is empty.
func eachText(object gjson.Result, call func(name, text string)) {
	if object.IsObject() {
		object.ForEach(func(k, v gjson.Result) bool {
			call(k.Str, v.Str)
			return true
		})
	}
}

// at returns the field of a JSON object with a name.
func at(object gjson.Result, name string) (found gjson.Result) {
	if object.IsObject() {
		object.ForEach(func(k, v gjson.Result) bool {
			if k.Str == name {
				found = v
			}
			return k.Str != name
		})
	}
	return found
}

// textOf returns a text of a JSON object that may be kept: a part of the object would hold all of it.
func textOf(object gjson.Result, name string) string { return strings.Clone(at(object, name).Str) }

// texts returns the fields of a JSON object that are texts.
func texts(object gjson.Result) map[string]string {
	all := map[string]string{}
	object.ForEach(func(k, v gjson.Result) bool {
		all[strings.Clone(k.Str)] = strings.Clone(v.Str)
		return true
	})
	return all
}

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

	"github.com/d-aros/d-aros/pkg/model"
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
	label := func(name string) string { return textOf(labels, name) }
	annotation := func(name string) string { return textOf(annotations, name) }
	o.App = model.AppID{Tenant: label(render.LabelTenant), Name: label(render.LabelApplication)}
	o.Component = label(render.LabelComponent)
	o.Workload = annotation(render.AnnotationWorkload)
	o.applied = annotation(render.AnnotationApplied)
	o.commit = unique.Make(annotation(render.AnnotationCommit))
	o.labelled = at(labels, render.LabelFleet).Str == l.fleet
	o.adopted = annotation(render.AnnotationAdopted)
	o.keep = at(annotations, render.AnnotationPrune).Str == render.PruneKeep || o.adopted == render.AdoptedKeep
	if o.adopted != "" {
		o.labels = texts(labels)
	}
	instance, _ := strconv.ParseInt(at(labels, render.LabelInstance).Str, 10, 32)
	o.instance = int32(instance)
	owners.ForEach(func(_, r gjson.Result) bool {
		if !at(r, "controller").Bool() {
			return true
		}
		o.Owner = Ref{strings.Clone(groupOf(at(r, "apiVersion").Str)), textOf(r, "kind"), o.Namespace, textOf(r, "name")}
		return false
	})
	owner := ""
	managed.ForEach(func(_, c gjson.Result) bool {
		fields := at(c, "fieldsV1")
		if !fields.IsObject() || at(c, "manager").Str != l.client.manager || at(c, "operation").Str != "Apply" || at(c, "subresource").Str != "" {
			return true
		}
		if at(at(at(fields, "f:metadata"), "f:annotations"), "f:"+render.AnnotationOwner).Exists() {
			owner = annotation(render.AnnotationOwner)
		}
		var own []byte
		if at(c, "apiVersion").Str == version {
			own = heldPart(object, fields)
		} else { // the fields are those of another version than the watched one
			own = fmt.Appendf(nil, `{"fields":%s,"time":%q}`, heldPart(fields, gjson.Result{}), at(c, "time").Str)
		}
		o.own, o.left = string(own), markOf(own)
		return true
	})
	o.owner = unique.Make(owner)
	if o.labelled && isInventory(o.Ref, label(common.InventoryLabel), o.App) {
		o.inventory = readInventory(texts(at(object, "data")), label(render.LabelLedger))
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

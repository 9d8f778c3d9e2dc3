package render

import (
	"io/fs"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/d-aros/d-aros/pkg/model"
)

// Input is all that the objects of one application follow from.
type Input struct {
	Fleet    string           // value of LabelFleet; separates fleets that share a cluster
	Prefix   string           // put before every namespace name, "" normally
	Instance *model.Instance  // its Spec is what is rendered, its Components how much of it may run
	Tenant   *model.Tenant    // whose namespace it lands in
	Pools    []model.PoolSpec // that grants refer to
	Files    fs.FS            // the application's directory at Instance.Spec.Commit; nil where no component needs it
}

// Set is the whole of what one application, or one tenant, has in a cluster.
type Set struct {
	App       model.AppID // Name is "" for the objects of a tenant
	Namespace string      // where its namespaced objects live
	Objects   []Object    // in order of stage, then of identity
}

// Object is one object as it is to be in the cluster.
type Object struct {
	Component string                     // that it belongs to, "" for the objects of a tenant
	Object    *unstructured.Unstructured // what is sent, with labels and annotations
	JSON      []byte                     // its encoding, keys sorted
	Digest    model.Digest               // of JSON
	Stage     int                        // everything of a lower stage is applied first

	// Keep says that only the identity of Object means something: the live
	// object stays as it is, and is not pruned.
	Keep bool
}

// Stages of objects.
const (
	StageScope    = iota // namespaces and definitions: what others live in
	StageSupport         // what workloads refer to: configuration, claims, quotas, services
	StageWorkload        // what runs, and what points at it
)

package component

import (
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// ObjectName returns the name of the objects of a component.
func ObjectName(app model.AppID, component string) string {
	return declared.Join(declared.MaxName, app.Name, component)
}

// Labels that only pods of one component have, and those of what is special about them.
const (
	LabelTenant      = declared.Domain + "tenant"
	LabelApplication = declared.Domain + "application"
	LabelComponent   = declared.Domain + "component"
	LabelTrack       = declared.Domain + "track"  // of pods of a Deployment: TrackStable or TrackNext
	LabelRights      = declared.Domain + "rights" // of pods that may have the token of their account, because policy allows it rights

	LabelRuntimeClass = declared.Domain + "runtime-class" // of pods with a runtime class that policy allows: its name
	LabelHostProcess  = declared.Domain + "host-process"  // of pods that policy allows to be processes of a Windows node: true
)

// Labels of every object that its owner may give another value, and the one beside them.
const (
	LabelName      = "app.kubernetes.io/name"
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelManagedBy = "app.kubernetes.io/managed-by"
)

// Annotations of some objects. Package render says what each means.
const (
	AnnotationConfig    = declared.Domain + "config"
	AnnotationDeletion  = declared.Domain + "deletion"
	AnnotationEncrypted = declared.Domain + "encrypted" // on Secrets whose values SOPS encrypted: the digest of the file
	AnnotationIntent    = declared.Domain + "intent"
	AnnotationJudged    = declared.Domain + "judged-by"
	AnnotationLock      = declared.Domain + "lock"
	AnnotationNamespace = declared.Domain + "declared-namespace"
	AnnotationPrune     = declared.Domain + "prune"
	AnnotationService   = declared.Domain + "service"
)

// PruneKeep is the value of AnnotationPrune.
const PruneKeep = "keep"

// DeletionData is the value of AnnotationDeletion, and of lifecycle.deletion.
const DeletionData = "delete-data"

// Tracks of the pods of a Deployment. While a workflow step rolls out a newer version
// in stages, that version has its own Deployment.
const (
	TrackStable = string(model.TrafficStable)
	TrackNext   = string(model.TrafficNext)
)

// Selector returns the labels that only the pods of a component have. They never
// change, because Kubernetes refuses a change of a selector.
func Selector(app model.AppID, component string) map[string]string {
	return map[string]string{LabelTenant: app.Tenant, LabelApplication: app.Name, LabelComponent: component}
}

// Labelled adds our labels to those of the owner, who may override the two name labels.
func Labelled(theirs, ours map[string]string) map[string]string {
	labels := declared.Merge(theirs, ours)
	for _, key := range []string{LabelName, LabelPartOf} {
		if name, said := theirs[key]; said {
			labels[key] = name
		}
	}
	return labels
}

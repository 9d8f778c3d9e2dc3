package render

import (
	"github.com/d-aros/d-aros/pkg/render/component"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// Domain is the part of label and annotation names that belongs to D-AROS.
const Domain = declared.Domain

// Labels of every object, and of every pod.
const (
	LabelFleet       = Domain + "fleet"
	LabelTenant      = component.LabelTenant
	LabelApplication = component.LabelApplication
	LabelComponent   = component.LabelComponent
	LabelInstance    = Domain + "instance"
	LabelLedger      = Domain + "ledger"    // of inventories: the id of the ledger that their application is in
	LabelTrack       = component.LabelTrack // of pods of a Deployment: TrackStable or TrackNext

	LabelName      = component.LabelName
	LabelPartOf    = component.LabelPartOf
	LabelManagedBy = component.LabelManagedBy

	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "d-aros"
)

// Annotations of objects.
const (
	// AnnotationCommit is the source commit that the object comes from.
	AnnotationCommit = Domain + "commit"
	// AnnotationWorkload is <digest>.<n>: the model.WorkloadDigest of the component
	// and the number of its objects. Objects that stay after their declaration is
	// removed have no such annotation and do not count.
	AnnotationWorkload = Domain + "workload"
	// AnnotationRelease is the model.Application.Release that the component is of, and
	// AnnotationGrant a Told: where an object with AnnotationWorkload stands in the ledger.
	// From them a ledger that was lost is made again.
	AnnotationRelease = Domain + "release"
	AnnotationGrant   = Domain + "grant"
	// AnnotationApplied is the digest of the object without this annotation.
	AnnotationApplied = Domain + "applied"
	// AnnotationOwner is <fleet>/<tenant>/<application>, or <fleet>/<tenant> of the objects of
	// a tenant: for whom D-AROS created the object. It is added where objects are sent.
	AnnotationOwner = Domain + "owner"
	// AnnotationAdopted marks an object that others made and that D-AROS was told to adopt:
	// with AdoptedKeep it stays after its declaration is removed, with AdoptedPrune it goes. It
	// is added where objects are sent.
	AnnotationAdopted = Domain + "adopted"
	// AnnotationPrune with the value PruneKeep marks an object that stays after its
	// declaration is removed: a volume, or the namespace of volumes.
	AnnotationPrune = component.AnnotationPrune
	// AnnotationNamespace is the namespace that a kustomization gave the object, and that was
	// mapped to the one of the application.
	AnnotationNamespace = component.AnnotationNamespace
	// AnnotationConfig, on pods, is the digest of the configuration that they refer
	// to, so that a change of the configuration restarts them.
	AnnotationConfig = component.AnnotationConfig
	// AnnotationIntent, on jobs and their pods, is the key of the workflow step that
	// runs the job.
	AnnotationIntent = component.AnnotationIntent
	// AnnotationLock, on jobs of workflow steps, is the lock that the step holds, ""
	// without one.
	AnnotationLock = component.AnnotationLock
	// AnnotationJudged, on the objects of a component that its definition judges, names the
	// definition: what is reported of them is kept.
	AnnotationJudged = component.AnnotationJudged
	// AnnotationService, on pods, is the service of Windows that they run.
	AnnotationService = component.AnnotationService
	// AnnotationDeletion with the value DeletionData marks a claim, or a StatefulSet
	// with claims, that is deleted when the application ends for good.
	AnnotationDeletion = component.AnnotationDeletion
)

// PruneKeep is the value of AnnotationPrune.
const PruneKeep = component.PruneKeep

// Values of AnnotationAdopted.
const (
	AdoptedKeep  = "keep"
	AdoptedPrune = "prune"
)

// DeletionData is the value of AnnotationDeletion, and of lifecycle.deletion.
const DeletionData = component.DeletionData

// RunHalted is the run strategy of a virtual machine that is not to run.
const RunHalted = component.RunHalted

package render

// Domain is the part of label and annotation names that belongs to D-AROS.
const Domain = "d-aros.dev/"

// Labels of every object, and of every pod.
const (
	LabelFleet       = Domain + "fleet"
	LabelTenant      = Domain + "tenant"
	LabelApplication = Domain + "application"
	LabelComponent   = Domain + "component"
	LabelInstance    = Domain + "instance"
	LabelTrack       = Domain + "track" // of pods of a Deployment: TrackStable or TrackNext

	LabelName      = "app.kubernetes.io/name"
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelManagedBy = "app.kubernetes.io/managed-by"

	// ManagedBy is the value of LabelManagedBy.
	ManagedBy = "d-aros"
)

// Annotations of objects.
const (
	// AnnotationCommit is the source commit that the object comes from.
	AnnotationCommit = Domain + "commit"
	// AnnotationWorkload is <digest>.<n>: the model.WorkloadDigest of what the
	// object is part of and how many objects carry it out together. Objects that
	// outlive their declaration are no part of it.
	AnnotationWorkload = Domain + "workload"
	// AnnotationApplied is the digest of the object without this annotation.
	AnnotationApplied = Domain + "applied"
	// AnnotationPrune set to PruneKeep says that the object outlives its
	// declaration: volumes and what holds them.
	AnnotationPrune = Domain + "prune"
	// AnnotationConfig, on pods, digests the configuration that they refer to,
	// so that a change of it reaches them.
	AnnotationConfig = Domain + "config"
	// AnnotationIntent, on jobs and their pods, is the key of the step of a
	// workflow that asked for it.
	AnnotationIntent = Domain + "intent"
	// AnnotationDeletion set to DeletionData says that a claim, or the claims of a
	// StatefulSet, go when the application ends for good.
	AnnotationDeletion = Domain + "deletion"
)

// PruneKeep is the value of AnnotationPrune.
const PruneKeep = "keep"

// DeletionData is the value of AnnotationDeletion, and of lifecycle.deletion.
const DeletionData = "delete-data"

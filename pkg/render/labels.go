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
)

// PruneKeep is the value of AnnotationPrune.
const PruneKeep = "keep"

package render

import (
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
)

// job renders a job. Kubernetes does not let the template of one change, so the
// name carries a digest of it: another template is another job. One that is
// done stays as it is; one that may not run is not there. That of a step of a
// workflow has its name from the step's key.
func (w *workload) job() error {
	var p job
	if err := w.properties(&p); err != nil {
		return err
	}
	spec, err := w.jobSpec(p)
	if err != nil {
		return err
	}
	spec.Parallelism = pointer(int32(w.run))
	if w.run > 0 || w.done {
		meta := w.meta(p.container)
		if w.intent != "" {
			meta.Name = StepJobName(w.app.Instance.App, w.spec.Name, w.intent)
			meta.Annotations = merge(meta.Annotations, map[string]string{AnnotationIntent: w.intent})
			spec.Template.Annotations = merge(spec.Template.Annotations, map[string]string{AnnotationIntent: w.intent})
		} else {
			meta.Name += "-" + model.DigestOf([]any{spec.Template, spec.Completions}).Short()
		}
		w.out.keep = w.out.keep || w.done
		w.out.add(&batchv1.Job{
			TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
			ObjectMeta: meta,
			Spec:       spec,
		})
	}
	return nil
}

// startWithin is how late a run of a cron may start, in seconds. Runs that were
// missed for longer, while it was suspended or nothing scheduled, are left out.
const startWithin = int64(300)

// cronJob renders a cron. Suspended, it keeps its schedule and starts nothing.
func (w *workload) cronJob() error {
	var p cron
	if err := w.properties(&p); err != nil {
		return err
	}
	spec, err := w.jobSpec(p.job)
	if err != nil {
		return err
	}
	spec.Parallelism = pointer(int32(max(1, w.run)))
	schedule := batchv1.CronJobSpec{
		Schedule:                p.Schedule,
		StartingDeadlineSeconds: pointer(startWithin),
		ConcurrencyPolicy:       batchv1.ConcurrencyPolicy(p.Concurrency),
		Suspend:                 pointer(w.run == 0),
		JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: w.out.labels},
			Spec:       spec,
		},
	}
	if p.Concurrency == "" {
		schedule.ConcurrencyPolicy = batchv1.ForbidConcurrent
	}
	if p.TimeZone != "" {
		schedule.TimeZone = &p.TimeZone
	}
	w.out.add(&batchv1.CronJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"},
		ObjectMeta: w.meta(p.container),
		Spec:       schedule,
	})
	return nil
}

func (w *workload) jobSpec(p job) (batchv1.JobSpec, error) {
	if w.inputs != nil {
		p.Env = maps.Clone(p.Env)
		if p.Env == nil {
			p.Env = map[string]envValue{}
		}
		for _, in := range w.inputs {
			p.Env[variable(in.Name)] = envValue{Value: literal(in.Value)}
		}
	}
	template, _, err := w.pod("Job", p.container, nil, corev1.RestartPolicyNever)
	if err != nil {
		return batchv1.JobSpec{}, err
	}
	spec := batchv1.JobSpec{Template: template, BackoffLimit: pointer(int32(3)), Completions: pointer(int32(1))}
	if p.BackoffLimit != nil {
		spec.BackoffLimit = p.BackoffLimit
	}
	if p.Completions != nil {
		spec.Completions = p.Completions
	}
	if p.Deadline != "" {
		n, err := seconds("properties.deadline", p.Deadline)
		if err != nil {
			return spec, err
		}
		spec.ActiveDeadlineSeconds = &n
	}
	return spec, nil
}

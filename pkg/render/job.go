package render

import (
	"cmp"
	"maps"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// job renders a job. Kubernetes refuses a change of a Job's template, so the name has
// a digest of it: another template is another Job. A job that is done stays as it is.
// A job that may not run is absent. The Job of a workflow step is named by the key of
// the step, and runs its pod once.
func (w *workload) job() error {
	var p job
	if err := w.properties(&p); err != nil {
		return err
	}
	spec, err := w.jobSpec(p)
	if err != nil {
		return err
	}
	spec.Parallelism = new(int32(w.run))
	if w.run > 0 || w.done {
		meta := w.meta(p.container)
		if w.step != nil {
			meta.Name = StepJobName(w.app.Instance.App, w.spec.Name, w.step.Key)
			meta.Annotations = declared.Merge(meta.Annotations, map[string]string{AnnotationIntent: w.step.Key, AnnotationLock: w.step.Lock})
			spec.BackoffLimit = new(int32(0)) // an attempt is one execution: the step counts them
			spec.Template.Annotations = declared.Merge(spec.Template.Annotations, map[string]string{AnnotationIntent: w.step.Key})
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

// startWithin is how late a run of a cron may start, in seconds. Runs that are later,
// because the cron was suspended or nothing scheduled them, are skipped.
const startWithin = 300

// cronJob renders a cron. While it is suspended it keeps its schedule and starts nothing.
func (w *workload) cronJob() error {
	var p cron
	if err := w.properties(&p); err != nil {
		return err
	}
	spec, err := w.jobSpec(p.job)
	if err != nil {
		return err
	}
	spec.Parallelism = new(int32(max(1, w.run)))
	schedule := batchv1.CronJobSpec{
		Schedule:                p.Schedule,
		StartingDeadlineSeconds: new(int64(startWithin)),
		ConcurrencyPolicy:       batchv1.ConcurrencyPolicy(p.Concurrency),
		Suspend:                 new(w.run == 0),
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
	if w.step != nil && w.step.Inputs != nil {
		p.Env = maps.Clone(p.Env)
		if p.Env == nil {
			p.Env = map[string]declared.Variable{}
		}
		for _, in := range w.step.Inputs {
			p.Env[variable(in.Name)] = declared.Variable{Value: literal(in.Value)}
		}
	}
	pod, err := w.pod("Job", p.container, nil, corev1.RestartPolicyNever)
	if err != nil {
		return batchv1.JobSpec{}, err
	}
	spec := batchv1.JobSpec{
		Template: pod.template, BackoffLimit: cmp.Or(p.BackoffLimit, new(int32(3))), Completions: cmp.Or(p.Completions, new(int32(1))),
	}
	if p.Deadline != "" {
		n, err := declared.Seconds("properties.deadline", p.Deadline)
		if err != nil {
			return spec, err
		}
		spec.ActiveDeadlineSeconds = &n
	}
	return spec, nil
}

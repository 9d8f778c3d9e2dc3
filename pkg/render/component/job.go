package component

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
func job(in Input, p jobProperties) (Output, error) {
	spec, out, err := in.jobSpec(p)
	if err != nil {
		return Output{}, err
	}
	spec.Parallelism = new(int32(in.Run))
	if in.Run > 0 || in.Done {
		meta := in.meta(p.container)
		if in.Step != nil {
			meta.Name = StepJobName(in.App.ID, in.Spec.Name, in.Step.Key)
			meta.Annotations = declared.Merge(meta.Annotations, map[string]string{AnnotationIntent: in.Step.Key, AnnotationLock: in.Step.Lock})
			spec.BackoffLimit = new(int32(0)) // an attempt is one execution: the step counts them
			spec.Template.Annotations = declared.Merge(spec.Template.Annotations, map[string]string{AnnotationIntent: in.Step.Key})
		} else {
			meta.Name += "-" + model.DigestOf([]any{spec.Template, spec.Completions}).Short()
		}
		out.Keep = in.Done
		out.add(&batchv1.Job{
			TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
			ObjectMeta: meta,
			Spec:       spec,
		})
	}
	return out, nil
}

func (in Input) jobSpec(p jobProperties) (batchv1.JobSpec, Output, error) {
	if in.Step != nil && in.Step.Inputs != nil {
		p.Env = maps.Clone(p.Env)
		if p.Env == nil {
			p.Env = map[string]declared.Variable{}
		}
		for _, input := range in.Step.Inputs {
			p.Env[input.Variable()] = declared.Variable{Value: literal(input.Value)}
		}
	}
	pod, err := in.pod("Job", p.container, nil, corev1.RestartPolicyNever)
	if err != nil {
		return batchv1.JobSpec{}, Output{}, err
	}
	spec := batchv1.JobSpec{
		Template: pod.template, BackoffLimit: cmp.Or(p.BackoffLimit, new(int32(3))), Completions: cmp.Or(p.Completions, new(int32(1))),
	}
	if p.Deadline != "" {
		n, err := declared.Seconds("properties.deadline", p.Deadline)
		if err != nil {
			return spec, Output{}, err
		}
		spec.ActiveDeadlineSeconds = &n
	}
	return spec, pod.out, nil
}

package component

import (
	"cmp"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// startWithin is how late a run of a cron may start, in seconds. Runs that are later,
// because the cron was suspended or nothing scheduled them, are skipped.
const startWithin = 300

// cron renders a cron. While it is suspended it keeps its schedule and starts nothing.
func cron(in Input, p cronProperties) (Output, error) {
	spec, out, err := in.jobSpec(p.jobProperties)
	if err != nil {
		return Output{}, err
	}
	spec.Parallelism = new(int32(max(1, in.Run)))
	schedule := batchv1.CronJobSpec{
		Schedule:                p.Schedule,
		StartingDeadlineSeconds: new(int64(startWithin)),
		ConcurrencyPolicy:       cmp.Or(batchv1.ConcurrencyPolicy(p.Concurrency), batchv1.ForbidConcurrent),
		Suspend:                 new(in.Run == 0),
		JobTemplate: batchv1.JobTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: in.Labels},
			Spec:       spec,
		},
	}
	if p.TimeZone != "" {
		schedule.TimeZone = &p.TimeZone
	}
	out.add(&batchv1.CronJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"},
		ObjectMeta: in.meta(p.container),
		Spec:       schedule,
	})
	return out, nil
}

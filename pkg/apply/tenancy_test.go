package apply_test

import (
	"flag"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/d-aros/d-aros/pkg/apply"
	"github.com/d-aros/d-aros/pkg/render"
)

var bombers = flag.Int("bombs", 0, "measure the change of one tenant beside so many applications of another whose webhook hangs")

// TestMeasureTenancyWebhook prints how much later the change of one tenant is applied beside applications of another whose
// webhook hangs for 30 s, and how soon drift of it is put back; it fails where drift stays: make bench-tenancy. The loop applies 16 sets at a time, of the tenants in turn.
func TestMeasureTenancyWebhook(t *testing.T) {
	if *bombers == 0 {
		t.Skip("without -bombs (make bench-tenancy): leaves requests without an answer, and measures beside them")
	}
	const rounds = 20
	f := setup(t)
	var hours atomic.Int64 // between two drifts, so that they are no fight over a field
	a := f.applierWith(f.Config, apply.Options{Fleet: f.fleet, Workers: 8, Now: func() time.Time {
		return time.Now().Add(time.Duration(hours.Load()) * time.Hour)
	}})
	f.apply(a, f.tenant())
	change := func(value string) render.Set {
		s := f.set("fine", fmt.Sprintf("{apiVersion: v1, kind: ConfigMap, metadata: {name: fine, labels: {%s: other}}, data: {a: %q}}", render.LabelTenant, value))
		s.App.Tenant = "other"
		return s
	}
	var alone time.Duration
	measure := func(what string, others []render.Set) {
		var worst, sum, step, back time.Duration
		// act applies the change with 15 sets of the others, and returns when the cluster has it.
		act := func(round int, value string) (took time.Duration, report apply.Report) {
			sets := []render.Set{change(value)}
			for i := range min(15, len(others)) {
				sets = append(sets, others[(15*round+i)%len(others)])
			}
			began := time.Now()
			ended := make(chan apply.Report)
			go func() { ended <- a.Apply(t.Context(), sets) }()
			f.eventually(func() bool {
				got, err := f.Clientset.CoreV1().ConfigMaps(f.fleet).Get(t.Context(), "fine", metav1.GetOptions{})
				return err == nil && got.Data["a"] == value
			}, "the change")
			took = time.Since(began)
			report = <-ended
			step = max(step, time.Since(began))
			require.NoError(t, report.Err)
			require.True(t, report.Sets[0].OK(), "%+v", report.Sets[0])
			return took, report
		}
		for round := range rounds {
			value := fmt.Sprint(what, round)
			took, _ := act(round, value)
			worst, sum = max(worst, took), sum+took

			hours.Add(1)
			a.Live().Drifted()
			f.patch(configMaps, "fine", `{"data": {"a": "drift"}}`)
			f.eventually(func() bool { return slices.Contains(a.Live().Drifted(), change("").App) }, "the drift to be seen")
			took, report := act(round, value)
			require.Equal(t, apply.Corrected, report.Sets[0].Results[0].Action)
			back = max(back, took)
		}
		fmt.Printf("%-44s %9.2f ms mean %9.2f ms worst of %d", what, float64(sum.Microseconds())/1000/rounds, float64(worst.Microseconds())/1000, rounds)
		if alone > 0 {
			fmt.Printf(", %.2f s later than without (2 wanted), %.1f times; the step that it is in takes at most %.2f s", (worst - alone).Seconds(), float64(worst)/float64(alone), step.Seconds())
		}
		fmt.Printf("\n%-44s %9.2f ms worst of %d\n", "… drift that was seen is put back", float64(back.Microseconds())/1000, rounds)
		alone = worst
	}
	measure("without a webhook that hangs", nil)
	f.slowWebhook()
	var hanging []render.Set
	for i := range *bombers {
		name := fmt.Sprint("slow", i)
		hanging = append(hanging, f.set(name, f.slow(name)))
	}
	measure(fmt.Sprintf("%d objects whose webhook hangs", *bombers), hanging)
}

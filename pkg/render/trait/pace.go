package trait

import (
	"cmp"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"

	"github.com/d-aros/d-aros/pkg/render/declared"
)

// pace is how fast the number of replicas changes in one direction.
type pace struct {
	Wait    string // for the wish of the metrics to last
	Pods    int32  // at most in a period
	Percent int32  // at most in a period
	Period  string
	Off     bool
}

// rules returns the pace as the autoscaler reads it, nil without one.
func (p *pace) rules(path string) (*autoscalingv2.HPAScalingRules, error) {
	if p == nil {
		return nil, nil
	}
	rules := &autoscalingv2.HPAScalingRules{}
	if p.Off {
		rules.SelectPolicy = new(autoscalingv2.DisabledPolicySelect)
	}
	if p.Wait != "" {
		wait, err := seconds(path+".wait", p.Wait, 0, time.Hour)
		if err != nil {
			return nil, err
		}
		rules.StabilizationWindowSeconds = &wait
	}
	period, err := seconds(path+".period", cmp.Or(p.Period, "15s"), time.Second, 30*time.Minute)
	if err != nil {
		return nil, err
	}
	if p.Pods > 0 {
		rules.Policies = append(rules.Policies, autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PodsScalingPolicy, Value: p.Pods, PeriodSeconds: period})
	}
	if p.Percent > 0 {
		rules.Policies = append(rules.Policies, autoscalingv2.HPAScalingPolicy{Type: autoscalingv2.PercentScalingPolicy, Value: p.Percent, PeriodSeconds: period})
	}
	return rules, nil
}

// seconds reads a time between two others.
func seconds(path, text string, least, most time.Duration) (int32, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < least || d > most {
		return 0, declared.Faultf(declared.CodeUnreadable, path, "is a time from %s to %s", least, most)
	}
	return int32((d + time.Second - 1) / time.Second), nil
}

package deploy

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/reconcile"
)

// described keeps the names and labels of what is registered, whether it has a
// value yet or not.
type described map[string][]string

var desc = regexp.MustCompile(`fqName: "([^"]+)".*variableLabels: \{([^}]*)\}`)

func (d described) Register(c prometheus.Collector) error {
	found := make(chan *prometheus.Desc, 1000)
	c.Describe(found)
	close(found)
	for one := range found {
		m := desc.FindStringSubmatch(one.String())
		if m == nil {
			return fmt.Errorf("%s", one)
		}
		d[m[1]] = append(strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' }), "fleet") // that run adds to all
	}
	return nil
}

func (d described) MustRegister(all ...prometheus.Collector) {
	for _, c := range all {
		if err := d.Register(c); err != nil {
			panic(err)
		}
	}
}

func (d described) Unregister(prometheus.Collector) bool { return false }

var (
	metricName = regexp.MustCompile(`\b(daros|process|go)_[a-z_]+`)
	quoted     = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	selectors  = regexp.MustCompile(`\b((?:daros|process|go)_[a-z_]+)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)\s*("(?:[^"\\]|\\.)*")`)
	grouping   = regexp.MustCompile(`\b(?:by|without)\s*\(([^)]*)\)`)
	word       = regexp.MustCompile(`[a-z_][a-z0-9_]*`)
	ranges     = regexp.MustCompile(`\[[^]]*\]`)
	rangeOf    = regexp.MustCompile(`^\[(\d+[smhd]|\$__rate_interval)\]$`)
)

// base is the name under which the metric of a series was registered.
func (d described) base(name string) string {
	if _, ok := d[name]; ok {
		return name
	}
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// functions and words of PromQL that are in use here.
var vocabulary = []string{"time", "sum", "max", "rate", "increase", "histogram_quantile", "max_over_time", "by", "unless"}

// checkExpr reads an expression as far as our metrics go: that every metric, label
// and value of a phase or outcome exists, that brackets close, and that no word is
// a slip of the pen. It is not a parser of PromQL, which would be the largest
// dependency of this repository.
func (d described) checkExpr(expr string) (used []string, err error) {
	bare := quoted.ReplaceAllString(expr, `""`)
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(bare, pair[:1]) != strings.Count(bare, pair[1:]) {
			return nil, fmt.Errorf("%s do not close", pair)
		}
	}
	for _, r := range ranges.FindAllString(bare, -1) {
		if !rangeOf.MatchString(r) {
			return nil, fmt.Errorf("%s is no range", r)
		}
	}
	labels := map[string]bool{"le": strings.Contains(expr, "_bucket")}
	for _, name := range metricName.FindAllString(bare, -1) {
		base := d.base(name)
		known, ok := d[base]
		if !ok {
			return nil, fmt.Errorf("there is no metric %s", name)
		}
		used = append(used, base)
		for _, label := range known {
			labels[label] = true
		}
	}
	for _, s := range selectors.FindAllStringSubmatch(expr, -1) {
		if rest := strings.Trim(matcher.ReplaceAllString(s[2], ""), ", "); rest != "" {
			return nil, fmt.Errorf("%q selects nothing", rest)
		}
		for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
			if m[1] != "le" && !slices.Contains(d[d.base(s[1])], m[1]) {
				return nil, fmt.Errorf("%s has no label %s", s[1], m[1])
			}
			if err := checkValues(m[1], m[2]); err != nil {
				return nil, err
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(bare, -1) {
		for _, label := range strings.FieldsFunc(g[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			if !labels[label] {
				return nil, fmt.Errorf("no label %s to group by", label)
			}
		}
	}
	plain := ranges.ReplaceAllString(regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(grouping.ReplaceAllString(metricName.ReplaceAllString(bare, ""), ""), ""), "")
	for _, w := range word.FindAllString(plain, -1) {
		if !slices.Contains(vocabulary, w) {
			return nil, fmt.Errorf("%q is neither a metric nor a function", w)
		}
	}
	return used, nil
}

// checkValues demands that what a label is compared with can be its value.
func checkValues(label, value string) error {
	values := map[string][]string{
		"outcome": {string(model.RunSucceeded), string(model.RunFailed), string(model.RunRolledBack), string(model.RunStopped), string(model.RunSuperseded)},
		"result":  {"ok", "error"},
		"reason":  {string(model.OutcomeReservationReduced), string(model.OutcomeSettingRefused)},
		"action":  {"failed", "created", "configured", "corrected", "pruned", "kept", model.CommandApprove, model.CommandResume},
	}
	for _, p := range model.Phases {
		values["phase"] = append(values["phase"], string(p))
	}
	if value == `"$fleet"` {
		return nil
	}
	for v := range strings.SplitSeq(strings.Trim(value, `"`), "|") {
		if !slices.Contains(values[label], v) {
			return fmt.Errorf("%s is never %q", label, v)
		}
	}
	return nil
}

func metrics() described {
	d := described{}
	reconcile.NewMetrics(d, false)
	d.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return d
}

// rules is a rule file of Prometheus.
type rules struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []struct {
			Alert       string            `json:"alert"`
			Expr        string            `json:"expr"`
			For         string            `json:"for"`
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"rules"`
	} `json:"groups"`
}

func readYAML(t *testing.T, file string, into any) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, into, yaml.DisallowUnknownFields), file)
}

// TestEveryAlertFiresAndIsSilent: the tests that promtool runs (make alerts) have a
// moment in which an alert fires, and one in which it does not, for each alert.
func TestEveryAlertFiresAndIsSilent(t *testing.T) {
	var file rules
	readYAML(t, "monitoring/alerts.yaml", &file)
	var tested struct {
		Tests []struct {
			Alerts []struct {
				Name  string `json:"alertname"`
				Fires []any  `json:"exp_alerts"`
			} `json:"alert_rule_test"`
		} `json:"tests"`
	}
	text, err := os.ReadFile("monitoring/alerts_test.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &tested))
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, one := range tested.Tests {
		for _, a := range one.Alerts {
			fires[a.Name], silent[a.Name] = fires[a.Name] || len(a.Fires) > 0, silent[a.Name] || len(a.Fires) == 0
		}
	}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			require.True(t, fires[r.Alert] && silent[r.Alert], "%s: alerts_test.yaml must show when it fires and when it is silent", r.Alert)
		}
	}
}

// TestAlerts: every rule is about metrics that there are, and says what to do.
func TestAlerts(t *testing.T) {
	var file rules
	readYAML(t, "monitoring/alerts.yaml", &file)
	known, seen := metrics(), map[string]bool{}
	for _, g := range file.Groups {
		require.NotEmpty(t, g.Rules)
		for _, r := range g.Rules {
			used, err := known.checkExpr(r.Expr)
			require.NoError(t, err, "%s: %s", r.Alert, r.Expr)
			require.NotEmpty(t, used, r.Alert)
			require.False(t, seen[r.Alert], r.Alert)
			seen[r.Alert] = true
			require.Regexp(t, `^Daros[A-Za-z]+$`, r.Alert)
			require.Contains(t, []string{"critical", "warning", "info"}, r.Labels["severity"], r.Alert)
			require.Regexp(t, `\.$`, r.Annotations["summary"], r.Alert)
			require.NotEmpty(t, r.Annotations["description"], r.Alert)
			require.Regexp(t, `^(\d+[smh])?$`, r.For, r.Alert)
		}
	}
}

var update = flag.Bool("update", false, "write monitoring/prometheusrule.yaml from monitoring/alerts.yaml, and the table of rights in docs/apply.md")

// TestPrometheusRule holds the rules for the Prometheus operator to the rule file.
func TestPrometheusRule(t *testing.T) {
	const made = "monitoring/prometheusrule.yaml"
	text, err := os.ReadFile("monitoring/alerts.yaml")
	require.NoError(t, err)
	_, groups, ok := strings.Cut(string(text), "\ngroups:\n")
	require.True(t, ok)
	want := `# Made from alerts.yaml by make golden: change that.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: d-aros
  labels: {app.kubernetes.io/part-of: d-aros}
spec:
  groups:
` + regexp.MustCompile(`(?m)^(.)`).ReplaceAllString(groups, "  $1")
	if *update {
		require.NoError(t, os.WriteFile(made, []byte(want), 0o644))
	}
	got, err := os.ReadFile(made)
	require.NoError(t, err)
	require.Equal(t, want, string(got), "run make golden")
}

// TestDashboard: every panel shows metrics that there are, and none of ours is on
// no panel.
func TestDashboard(t *testing.T) {
	text, err := os.ReadFile("monitoring/dashboard.json")
	require.NoError(t, err)
	type panel struct {
		ID      int
		Type    string
		Title   string
		Targets []struct{ Expr, RefID string }
		GridPos struct{ X, Y, W, H int }
	}
	var board struct {
		UID, Title string
		Panels     []panel
	}
	require.NoError(t, json.Unmarshal(text, &board))
	known, shown, ids, places := metrics(), map[string]bool{}, map[int]bool{}, map[[2]int]string{}
	for _, p := range board.Panels {
		require.False(t, ids[p.ID], "%s: panel %d is there already", p.Title, p.ID)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				require.Empty(t, places[[2]int{x, y}], "%s lies over it", p.Title)
				places[[2]int{x, y}] = p.Title
			}
		}
		require.True(t, p.Type == "row" || len(p.Targets) > 0, p.Title)
		for _, target := range p.Targets {
			used, err := known.checkExpr(target.Expr)
			require.NoError(t, err, "%s: %s", p.Title, target.Expr)
			for _, name := range used {
				shown[name] = true
			}
		}
	}
	for name := range maps.Keys(known) {
		if strings.HasPrefix(name, "daros_") {
			require.True(t, shown[name], "no panel shows %s", name)
		}
	}
}

// TestExpressionsAreChecked: what the two tests above rely on finds slips.
func TestExpressionsAreChecked(t *testing.T) {
	known := metrics()
	for expr, says := range map[string]string{
		`sum(daros_aplications)`:                                             "no metric daros_aplications",
		`sum(daros_applications{fase="Running"})`:                            "no label fase",
		`sum(daros_applications{phase="Runing"})`:                            `never "Runing"`,
		`sum by (tenant) (daros_applications)`:                               "no label tenant",
		`sum(daros_applications`:                                             "do not close",
		`sun(daros_applications)`:                                            `"sun" is neither`,
		`rate(daros_passes_total[5])`:                                        "[5] is no range",
		`sum(daros_applications{phase "Running"})`:                           "selects nothing",
		`histogram_quantile(0.9, sum by (le) (rate(daros_run_seconds[5m])))`: "no label le",
	} {
		_, err := known.checkExpr(expr)
		require.ErrorContains(t, err, says, expr)
	}
}

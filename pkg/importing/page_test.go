package importing_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/test/page"
)

const importPage = "../../docs/import.md"

// TestImportPage holds the figures of docs/import.md to what is imported.
func TestImportPage(t *testing.T) {
	all, shared := corpus(t)
	type sum struct{ files, said, whole, fields, kept, withheld, clusters, own, hostless int }
	sums, groups := map[string]*sum{}, []string{}
	type missed struct{ group, reason string }
	values := map[missed]int{}
	for _, i := range all {
		if i.result == nil { // no YAML
			continue
		}
		s := sums[i.group]
		if s == nil {
			s = &sum{}
			sums[i.group], groups = s, append(groups, i.group)
		}
		r := &i.result.Report
		s.files++
		s.fields, s.kept, s.withheld = s.fields+r.Fields, s.kept+r.Kept, s.withheld+r.Withheld
		s.hostless += i.hostless.Report.Kept + i.hostless.Report.Withheld
		if i.err == nil {
			s.said++
		}
		if r.Whole() {
			s.whole++
		}
		for _, l := range r.Lost {
			values[missed{i.group, l.Reason}] += l.Fields
			if strings.Contains(l.Reason, "about several clusters") {
				s.clusters += l.Fields
			}
			if strings.Contains(l.Reason, "that KubeVela's platform defined") {
				s.own += l.Fields
			}
		}
	}
	var kept strings.Builder
	kept.WriteString("| files | read | with an application | whole | fields | kept | left to Secrets | share |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, g := range groups {
		s := sums[g]
		fmt.Fprintf(&kept, "| %s | %d | %d | %d | %d | %d | %d | %d %% |\n", g, s.files, s.said, s.whole, s.fields, s.kept, s.withheld, 100*(s.kept+s.withheld)/s.fields)
	}
	if !shared {
		text, err := os.ReadFile(importPage)
		require.NoError(t, err)
		for row := range strings.Lines(kept.String()) {
			require.Contains(t, string(text), row, "of the files that are at hand")
		}
		t.Skipf("the rows of own files are as the page has them; the others need the files in %s, which does not exist", *sharedData)
	}
	page.Hold(t, *update, importPage, "kept", kept.String())
	s := sums["KubeVela, examples"]
	share := func(of int) int { return 100 * (s.kept + s.withheld) / of }
	var others sum
	for _, g := range groups {
		if !strings.HasPrefix(g, "own") {
			others.fields, others.kept = others.fields+sums[g].fields-sums[g].clusters, others.kept+sums[g].kept+sums[g].withheld
		}
	}
	without := 100 * s.hostless / (s.fields - s.clusters)
	require.GreaterOrEqual(t, without, 90, "per cent of the fields of applications of KubeVela for one cluster, with no flag")
	page.Hold(t, *update, importPage, "one cluster", fmt.Sprintf("| fields | number | kept or left to Secrets |\n| --- | --- | --- |\n| of KubeVela | %d | %d %% |\n"+
		"| of KubeVela, without those about several clusters (%d) | %d | %d %% |\n| … without `--host`, too | %d | %d %% |\n| of KubeVela, without those of types, traits and steps that a platform defined and whose definitions are not beside them, either (%d) | %d | %d %% |\n"+
		"| of all examples of others, without those about several clusters | %d | %d %% |\n",
		s.fields, share(s.fields), s.clusters, s.fields-s.clusters, share(s.fields-s.clusters), s.fields-s.clusters, without, s.own, s.fields-s.clusters-s.own, share(s.fields-s.clusters-s.own), others.fields, 100*others.kept/others.fields))

	most := make([]missed, 0, len(values))
	for m := range values {
		if !strings.HasPrefix(m.group, "own") {
			most = append(most, m)
		}
	}
	slices.SortFunc(most, func(a, b missed) int {
		if values[a] != values[b] {
			return values[b] - values[a]
		}
		return strings.Compare(a.group+a.reason, b.group+b.reason)
	})
	var lost strings.Builder
	lost.WriteString("| files | values | reason |\n| --- | --- | --- |\n")
	for _, m := range most[:min(len(most), 15)] {
		fmt.Fprintf(&lost, "| %s | %d | %s |\n", m.group, values[m], m.reason)
	}
	page.Hold(t, *update, importPage, "missed", lost.String())
}

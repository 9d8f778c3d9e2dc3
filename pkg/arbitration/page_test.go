package arbitration_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/test/arbitration/story"
	"github.com/d-aros/d-aros/test/page"
)

const file = "../../docs/arbitration.md"

// TestPageIsTrue plays the example of docs/arbitration.md and compares what the
// page says of it.
func TestPageIsTrue(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	situation := regexp.MustCompile("(?s)```situation\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, situation, "the page has an example")
	s, err := story.Read(string(situation[1]))
	require.NoError(t, err)
	first, err := story.Read(string(situation[1]))
	require.NoError(t, err)
	ruling, _ := s.Round()
	after := s.Decide()

	var b strings.Builder
	b.WriteString("```\n")
	for _, d := range ruling.Decisions {
		fmt.Fprintf(&b, "%-10s  %s\n", d.App, d.Message)
		for _, v := range d.Displaced {
			fmt.Fprintf(&b, "%-10s  %s: %s → %s\n", "", v.App, v.From, v.To)
		}
	}
	b.WriteString("\n")
	bars(&b, "before", first.Ledger, ruling)
	bars(&b, "after", s.Ledger, after)
	b.WriteString("```\n")

	page.Hold(t, flag.Lookup("update").Value.String() == "true", file, "example", b.String())
}

// TestStartsPageIsTrue plays the examples of docs/arbitration.md about what stands together and who starts when.
func TestStartsPageIsTrue(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	situations := regexp.MustCompile("(?s)```situation\n(.*?)```").FindAllSubmatch(text, -1)
	require.Len(t, situations, 4)
	for i, name := range map[int]string{1: "starts", 3: "together"} { // TestTakesPageIsTrue plays the one between them
		s, err := story.Read(string(situations[i][1]))
		require.NoError(t, err)
		ruling, _ := s.Round()
		told := "```\n"
		for _, d := range ruling.Decisions {
			told += fmt.Sprintf("%-10s  %s\n", d.App, d.Message)
		}
		page.Hold(t, flag.Lookup("update").Value.String() == "true", file, name, told+"```\n")
	}
}

// TestTakesPageIsTrue plays the example of docs/arbitration.md about what is larger than a fair share: what it is told, and half
// an hour later what those are told who give way.
func TestTakesPageIsTrue(t *testing.T) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s, err := story.Read(string(regexp.MustCompile("(?s)```situation\n(.*?)```").FindAllSubmatch(text, -1)[2][1]))
	require.NoError(t, err)
	told := "```\n"
	tell := func() {
		ruling, _ := s.Round()
		told += s.Now.Format("15:04") + "\n"
		for _, d := range ruling.Decisions {
			if d.App.Name == "job" || d.Verdict == model.VerdictEvicted && d.App.Name < "07" {
				told += fmt.Sprintf("%-5s  %s\n", d.App, d.Message)
			}
		}
	}
	tell()
	s.Now = s.Now.Add(30 * time.Minute)
	tell()
	page.Hold(t, flag.Lookup("update").Value.String() == "true", file, "takes", told+"```\n")
}

// TestAdvicePageIsTrue plays the example of docs/advice.md until it rests and compares what is told.
func TestAdvicePageIsTrue(t *testing.T) {
	const file = "../../docs/advice.md"
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	situation := regexp.MustCompile("(?s)```situation\n(.*?)```").FindSubmatch(text)
	require.NotNil(t, situation, "the page has an example")
	s, err := story.Read(string(situation[1]))
	require.NoError(t, err)
	_, settled := s.Settle(5, time.Minute)
	require.True(t, settled)
	s.Advises = true
	ruling := s.Decide()
	d, ok := ruling.Find(model.AppID{Tenant: "a", Name: "job"})
	require.True(t, ok)
	sentence, changes := d.Advising()
	told := "```\n" + sentence + "\n- " + strings.Join(changes, "\n- ") + "\n```\n"
	page.Hold(t, flag.Lookup("update").Value.String() == "true", file, "example", told)
}

// bars draws what tenants have of the 12 cores of the example, four characters a core.
func bars(b *strings.Builder, label string, ledger model.Ledger, r model.Ruling) {
	const scale = 4
	used := map[string]int{}
	for _, inst := range ledger.Instances {
		for _, c := range inst.Components {
			used[inst.App.Tenant] += int(c.Grant.Requests.CPU) * c.Grant.Replicas * scale / 1000
		}
	}
	for _, d := range r.Decisions {
		for _, share := range d.Shares {
			n, known := used[share.Of]
			if !known {
				continue
			}
			delete(used, share.Of)
			guaranteed, fair := cells(share.Guaranteed), cells(share.FairShare)
			bar := strings.Repeat("#", min(n, guaranteed)) + strings.Repeat("=", max(0, n-guaranteed)) + strings.Repeat(".", max(0, fair-n))
			fmt.Fprintf(b, "%-6s  %-5s  |%-48s|\n", label, share.Of, bar)
			label = ""
		}
	}
}

// cells turns thousandths of twelve cores into characters.
func cells(thousandths int) int { return (thousandths*48 + 500) / 1000 }

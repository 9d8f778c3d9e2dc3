package trace

import (
	"fmt"
	"strings"
	"time"
)

// Table writes figures side by side, in Markdown.
func Table(all []*Figures) string {
	var b strings.Builder
	row := func(title string, cell func(f *Figures) string) {
		fmt.Fprintf(&b, "| %s |", title)
		for _, f := range all {
			fmt.Fprintf(&b, " %s |", cell(f))
		}
		b.WriteString("\n")
	}
	row("GPUs, of the most that is ever wanted at once", func(f *Figures) string { return fmt.Sprintf("%d %%", f.Setting.Capacity) })
	b.WriteString("|---|" + strings.Repeat("--:|", len(all)) + "\n")
	count := func(title string, n func(f *Figures) int) {
		row(title, func(f *Figures) string { return fmt.Sprint(n(f)) })
	}
	part := func(title string, x func(f *Figures) float64) {
		row(title, func(f *Figures) string { return fmt.Sprintf("%.1f %%", 100*x(f)) })
	}
	row("GPUs there are", func(f *Figures) string { return fmt.Sprintf("%.1f", float64(f.GPUs)/1000) })
	part("GPUs in use, all the time", func(f *Figures) float64 { return f.Use })
	part("GPUs in use, while something waits", func(f *Figures) float64 { return f.UseShort })
	row("Jain's index between tenants with something waiting", func(f *Figures) string { return fmt.Sprintf("%.3f", f.JainShort) })
	count("applications", func(f *Figures) int { return f.Applications })
	count("refused: more than any pool has", func(f *Figures) int { return f.Rejected })
	count("left waiting in the end", func(f *Figures) int { return f.Stuck })
	count("admissions, again after eviction included", func(f *Figures) int { return f.Admitted })
	count("… at less than they ask for", func(f *Figures) int { return f.Lessened })
	count("evictions", func(f *Figures) int { return f.Evicted })
	count("degradations of what runs", func(f *Figures) int { return f.Reduced })
	count("restorations", func(f *Figures) int { return f.Raised })
	for _, class := range []struct{ qos, name string }{{"LS", "production (LS)"}, {"BE", "batch (BE)"}} {
		row("wait of "+class.name+": mean, p95", func(f *Figures) string {
			w := f.Waited[class.qos]
			return fmt.Sprintf("%s, %s", span(w.Mean), span(w.P95))
		})
	}
	count("passes", func(f *Figures) int { return f.Passes })
	return b.String()
}

// span writes seconds for people.
func span(seconds int64) string {
	d := time.Duration(seconds) * time.Second
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", seconds)
	case d < 2*time.Hour:
		return fmt.Sprintf("%.0f min", d.Minutes())
	case d < 48*time.Hour:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
	return fmt.Sprintf("%.1f days", d.Hours()/24)
}

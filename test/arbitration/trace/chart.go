package trace

import (
	"fmt"
	"strings"
)

// size of the chart, in points.
const (
	width, height = 860, 320
	left, right   = 52, 14
	top, bottom   = 44, 36
)

// Chart draws what was wanted and what was used, day by day, below the capacity.
func (f *Figures) Chart() string {
	most := float64(f.GPUs) / 1000
	for _, d := range f.Days {
		most = max(most, d.Wanted, d.Used)
	}
	step := 10.0
	for most/step > 6 {
		step *= 2
	}
	ceiling := step * float64(int(most/step)+1)
	x := func(day float64) float64 { return left + day/float64(len(f.Days))*(width-left-right) }
	y := func(gpus float64) float64 { return height - bottom - gpus/ceiling*(height-top-bottom) }

	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" role="img">`, width, height)
	line(`<title>GPUs wanted and used in the replayed trace, day by day</title>`)
	line(`<rect width="%d" height="%d" fill="#ffffff"/>`, width, height)
	for gpus := 0.0; gpus <= ceiling; gpus += step {
		line(`<path d="M%d %.1fH%d" stroke="#e4e4e4"/><text x="%d" y="%.1f" text-anchor="end" fill="#555">%.0f</text>`,
			left, y(gpus), width-right, left-6, y(gpus)+4, gpus)
	}
	for day := 0; day < len(f.Days); day += 30 {
		line(`<text x="%.1f" y="%d" text-anchor="middle" fill="#555">day %d</text>`, x(float64(day)), height-bottom+18, day)
	}
	area := func(value func(Day) float64) string {
		var p strings.Builder
		fmt.Fprintf(&p, "M%.1f %.1f", x(0), y(0))
		for i, d := range f.Days {
			fmt.Fprintf(&p, "L%.1f %.1fH%.1f", x(float64(i)), y(value(d)), x(float64(i+1)))
		}
		fmt.Fprintf(&p, "L%.1f %.1fZ", x(float64(len(f.Days))), y(0))
		return p.String()
	}
	line(`<path d="%s" fill="#f2b880"/>`, area(func(d Day) float64 { return d.Wanted }))
	line(`<path d="%s" fill="#3f7fbf"/>`, area(func(d Day) float64 { return d.Used }))
	capacity := y(float64(f.GPUs) / 1000)
	line(`<path d="M%d %.1fH%d" stroke="#333" stroke-dasharray="5 4"/>`, left, capacity, width-right)
	legend := func(at int, colour, text string) {
		line(`<rect x="%d" y="14" width="12" height="12" fill="%s"/><text x="%d" y="24" fill="#222">%s</text>`, at, colour, at+18, text)
	}
	legend(left, "#3f7fbf", "used")
	legend(left+90, "#f2b880", "wanted and not there (mean of the day)")
	line(`<path d="M%d 20h24" stroke="#333" stroke-dasharray="5 4"/><text x="%d" y="24" fill="#222">capacity, in GPUs</text>`, left+350, left+380)
	line(`</svg>`)
	return b.String()
}

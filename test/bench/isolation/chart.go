//go:build linux

package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

const (
	chartWidth = 760
	labels     = 200 // width of the names
	row        = 18
)

var colours = map[string]string{without: "#c0392b", with: "#2471a3", killed: "#7fb3d5"}

// drawChart draws a bar for each ratio, on a scale of powers, with a line where nothing is lost or promised.
func drawChart(machine string, figures []figure) string {
	least, most := 0.5, 2.0
	for _, f := range figures {
		for _, ratio := range f.Ratios {
			least, most = min(least, max(ratio, 0.01)), max(most, ratio)
		}
	}
	at := func(ratio float64) float64 {
		return labels + (chartWidth-labels-70)*math.Log(max(ratio, least)/least)/math.Log(most/least)
	}
	var b strings.Builder
	y := 40
	for _, f := range figures {
		top := y
		fmt.Fprintf(&b, "<text x=\"8\" y=\"%d\" font-weight=\"bold\">%s</text>\n<text x=\"8\" y=\"%d\" fill=\"#555\">wanted %s</text>\n",
			y+12, html.EscapeString(f.Name), y+12+row, html.EscapeString(f.wanted()))
		if f.Reason != "" {
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" fill=\"#555\">not measured: %s</text>\n", labels, y+11, html.EscapeString(short(f.Reason)))
			y += row
		}
		for _, phase := range phases {
			ratio, measured := f.Ratios[phase]
			if !measured {
				continue
			}
			fmt.Fprintf(&b, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>\n<text x=\"%.1f\" y=\"%d\">%s</text>\n",
				labels, y, max(1, at(ratio)-labels), row-4, colours[phase], at(ratio)+5, y+11, f.show(phase))
			y += row
		}
		y = max(y, top+2*row) + 14
	}
	var legend strings.Builder
	for i, phase := range phases {
		fmt.Fprintf(&legend, "<rect x=\"%d\" y=\"12\" width=\"12\" height=\"12\" fill=\"%s\"/>\n<text x=\"%d\" y=\"22\">%s</text>\n", labels+i*130, colours[phase], labels+i*130+17, phase)
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">
<title>What a workload keeps beside others that want everything, without and with the node agent</title>
<rect width="100%%" height="100%%" fill="#fff"/>
%s%s<line x1="%.1f" y1="34" x2="%.1f" y2="%d" stroke="#333" stroke-dasharray="4 3"/>
<text x="8" y="%d" fill="#555">scale of powers; the line is the service alone, or what was promised</text>
<text x="8" y="%d" fill="#555">%s</text>
</svg>
`, chartWidth, y+46, legend.String(), b.String(), at(1), at(1), y, y+18, y+34, html.EscapeString(machine))
}

// short is as much of a sentence as there is room for.
func short(reason string) string {
	if runes := []rune(reason); len(runes) > 70 {
		return string(runes[:69]) + "…"
	}
	return reason
}

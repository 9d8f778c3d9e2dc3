package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/view"
)

// grantsOf describes the grants of an application, with the state of components that are not ready:
// "database 1/1 · web 2/4 starting". Where an autoscaler tells the runtime to run less,
// it is "web 6/6 (told 2)".
func grantsOf(v *view.Application) string {
	parts := make([]string, 0, len(v.Components))
	for _, c := range v.Components {
		text := fmt.Sprintf("%s %d/%d", c.Name, c.Granted, c.Asked)
		switch {
		case c.State == model.StateReady, c.State == model.StateOff:
			text += toldLess(c.Granted, c.Told)
		case c.Ended:
			text = c.Name + " " + string(c.State)
		default:
			text += " " + string(c.State)
		}
		if c.Says != "" {
			text += ": " + c.Says
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " · ")
}

// toldLess says that an autoscaler tells the runtime to run less than is granted.
func toldLess(granted, told int) string {
	if told == 0 || told >= granted {
		return ""
	}
	return fmt.Sprintf(" (told %d)", told)
}

// readyOf describes how much of the components is ready of what the runtimes are told to
// run: "database 1/1 · web 2/4".
func readyOf(v *view.Application) string {
	var parts []string
	for _, c := range v.Components {
		if c.Told > 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", c.Name, c.Ready, c.Told))
		}
	}
	return strings.Join(parts, " · ")
}

// whyOf returns the reason and its sentence, of a refused update if there is one.
func whyOf(v *view.Application) string {
	if v.Damaged != nil {
		return model.ReasonRecordDamaged.With(v.Damaged.String())
	}
	reason, message, prefix := v.Reason, v.Message, ""
	if v.Refused != nil {
		reason, message, prefix = v.Refused.Reason, v.Refused.Message, "update refused: "
	}
	return prefix + reason.With(message)
}

// waitingLine returns the applications that wait for capacity, the first in line first.
func waitingLine(v *view.Status) []*view.Application {
	var line []*view.Application
	for i := range v.Applications {
		if v.Applications[i].Waiting != nil {
			line = append(line, &v.Applications[i])
		}
	}
	slices.SortStableFunc(line, func(a, b *view.Application) int { return cmp.Compare(a.Waiting.Position, b.Waiting.Position) })
	return line
}

package view

import "github.com/d-aros/d-aros/pkg/status"

// Events returns the last most of the events, and how many earlier ones that leaves out.
func Events(events []status.Event, most int) (last []status.Event, earlier int) {
	earlier = max(0, len(events)-most)
	return append([]status.Event{}, events[earlier:]...), earlier // [] and not null in JSON
}

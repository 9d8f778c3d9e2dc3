package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Draw makes a history from a seed.
func Draw(seed uint64, events int) []Event {
	rng := rand.New(rand.NewPCG(seed, 0))
	total := 0
	for i := range operations {
		total += operations[i].weight
	}
	seldom := rare[seed%6]
	history := make([]Event, events)
	for i := range history {
		n, op := rng.IntN(total), 0
		for ; n >= operations[op].weight; op++ {
			n -= operations[op].weight
		}
		if len(seldom) > 0 && rng.IntN(10) == 0 {
			name := seldom[rng.IntN(len(seldom))]
			op = slices.IndexFunc(operations, func(o operation) bool { return o.name == name })
		}
		if i == 0 && slices.Contains(seldom, "sign") {
			op = slices.IndexFunc(operations, func(o operation) bool { return o.name == "sign" })
		}
		history[i].Op = op
		for j, words := range operations[op].words {
			history[i].Args[j] = rng.IntN(len(words))
		}
	}
	return history
}

// FromBytes makes a history of any bytes, for a fuzzer to find its way by: five
// for each event.
func FromBytes(b []byte) []Event {
	var history []Event
	for ; len(b) >= 5; b = b[5:] {
		e := Event{Op: int(b[0]) % len(operations)}
		for j, words := range operations[e.Op].words {
			e.Args[j] = int(b[1+j]) % len(words)
		}
		history = append(history, e)
	}
	return history
}

// ToBytes writes a history so that FromBytes makes it again.
func ToBytes(history []Event) (b []byte) {
	for _, e := range history {
		b = append(b, byte(e.Op))
		for _, arg := range e.Args {
			b = append(b, byte(arg))
		}
	}
	return b
}

// Text writes a history as testdata holds it: an event a line.
func Text(history []Event) string {
	var b strings.Builder
	for _, e := range history {
		fmt.Fprintln(&b, e)
	}
	return b.String()
}

// Parse reads what Text writes. Lines that are empty or begin with # say nothing.
func Parse(text string) (history []Event, err error) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		e, err := ParseEvent(line)
		if err != nil {
			return nil, err
		}
		history = append(history, e)
	}
	return history, nil
}

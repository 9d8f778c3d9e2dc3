package solve

import (
	"fmt"
	"strings"

	"github.com/d-aros/d-aros/pkg/model"
)

// Sentence describes what is short: "needs 4 cpu in pool general, where 1500m is
// free".
func (b *Books) Sentence(short []Shortage) string {
	parts := make([]string, len(short))
	for i, s := range short {
		if s.Gang != nil {
			parts[i] = s.gangSentence(b)
			continue
		}
		if s.Resource < 0 {
			parts[i] = fmt.Sprintf("needs room in %d domains of pool %s, and %d have it", s.Asked, b.Pools[s.Pool].Name, s.Free)
			continue
		}
		name := b.Names[s.Resource]
		n := model.FormatAmounts(name, s.Asked, max(0, s.Free))
		switch {
		case s.Pool >= 0 && s.Quota:
			parts[i] = fmt.Sprintf("needs %s %s in pool %s, and %s has %s of its quota there left", n[0], name, b.Pools[s.Pool].Name, b.Nodes[s.Node].Name, n[1])
		case s.Pool >= 0:
			parts[i] = "needs " + n[0] + " " + name + " in pool " + b.Pools[s.Pool].Name + ", where " + n[1] + " is free"
		case s.Quota:
			parts[i] = fmt.Sprintf("needs %s %s, and %s has %s of its quota left", n[0], name, b.Nodes[s.Node].Name, n[1])
		case s.Node > 0:
			parts[i] = fmt.Sprintf("needs %s %s, and %s may borrow %s more", n[0], name, b.Nodes[s.Node].Name, n[1])
		default:
			parts[i] = fmt.Sprintf("needs %s %s, and others lend %s of what they are guaranteed", n[0], name, n[1])
		}
	}
	return strings.Join(parts, " and ")
}

// Amount writes an amount of a resource in the unit in which people read it.
func (b *Books) Amount(resource int, n int64) string {
	return model.FormatAmount(b.Names[resource], n)
}

// Money writes an amount in millionths of the currency.
func Money(n int64) string { return fmt.Sprintf("%d.%04d", n/1e6, n%1e6/100) }

// Percent writes an amount in thousandths as a percentage.
func Percent(thousandths int64) string {
	if thousandths%10 == 0 {
		return fmt.Sprintf("%d%%", thousandths/10)
	}
	return fmt.Sprintf("%d.%d%%", thousandths/10, thousandths%10)
}

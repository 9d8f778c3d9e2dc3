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
		switch {
		case s.Resource < 0:
			parts[i] = fmt.Sprintf("spreads over %d domains of pool %s, of which %d have room", s.Asked, b.Pools[s.Pool].Name, s.Free)
		case s.Pool >= 0:
			parts[i] = "needs " + b.Amount(s.Resource, s.Asked) + " " + b.Names[s.Resource] + " in pool " + b.Pools[s.Pool].Name +
				", where " + b.Amount(s.Resource, max(0, s.Free)) + " is free"
		case s.Node > 0:
			parts[i] = fmt.Sprintf("needs %s %s, and %s may borrow %s more", b.Amount(s.Resource, s.Asked), b.Names[s.Resource],
				b.Nodes[s.Node].Name, b.Amount(s.Resource, max(0, s.Free)))
		default:
			parts[i] = fmt.Sprintf("needs %s %s, and others lend %s of what they are guaranteed", b.Amount(s.Resource, s.Asked), b.Names[s.Resource],
				b.Amount(s.Resource, max(0, s.Free)))
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
		return fmt.Sprintf("%d %%", thousandths/10)
	}
	return fmt.Sprintf("%d.%d %%", thousandths/10, thousandths%10)
}

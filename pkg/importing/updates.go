package importing

import (
	"strconv"
	"strings"
)

// updates takes how new pods replace old ones. The fields of a rolling update stand under a name.
func updates(rolling string) taking {
	return func(s *scope, n *node) (any, error) {
		kind, most, more := n.at("type"), n.at(rolling+".maxUnavailable"), n.at(rolling+".maxSurge")
		switch kind.string() {
		case "Recreate":
			s.c.doc.set("traits.update.recreate", true)
		case "RollingUpdate", "":
		default:
			return nil, because("is an update in a way of its own", "traits: update, or workflow: steps with canary or blue-green")
		}
		mark(kept, kind)
		replicas := max(s.c.replicas(), 1)
		switch i, ok := share(most.string(), replicas); {
		case ok && i > 0 && s.c.doc["type"] != "daemon":
			s.c.doc.set("traits.update.maxUnavailable", i)
			mark(kept, most)
		case ok && i == 0:
			mark(kept, most)
		default:
			s.lose(most, because("a component of this type has no such update", "traits: update"))
		}
		if i, ok := share(more.string(), replicas); ok && i == 1 {
			mark(kept, more)
		} else {
			s.lose(more, because("one pod more than granted may run during an update, if there is capacity for it", "traits: update"))
		}
		return nil, nil
	}
}

// share is a number, or a part of another in percent, rounded down.
func share(text string, of int64) (int64, bool) {
	percent, isPercent := strings.CutSuffix(text, "%")
	i, err := strconv.ParseInt(percent, 10, 64)
	if err != nil || i < 0 || i > 1_000_000 || isPercent && i > 100 {
		return 0, false
	}
	if isPercent {
		return of * i / 100, true
	}
	return i, true
}

// spread takes an even spread of the component's own pods over domains.
func spread(s *scope, n *node) (any, error) {
	over, least := domains[n.at("topologyKey").string()], int64(1)
	if i, ok := n.at("minDomains").number(); ok {
		least = i
	}
	own := s.labelled(n.at("labelSelector"))
	demanded := n.at("whenUnsatisfiable").string() != "ScheduleAnyway"
	even := n.at("maxSkew").string() == "1" && demanded == (least > 1) // one domain demands nothing
	if over == "" || !even || least < 1 || least > max(s.c.replicas(), 1) || len(own) != 1 || own[0] != s.c || s.c.doc.get("placement.spread") != nil {
		return nil, because("spreads pods otherwise than evenly over nodes or zones", "placement: spread")
	}
	s.c.doc.set("placement.spread", doc{"over": over, "min": least})
	mark(kept, n.at("topologyKey"), n.at("labelSelector"), n.at("maxSkew"), n.at("whenUnsatisfiable"), n.at("minDomains"))
	return nil, nil
}

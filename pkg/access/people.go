package access

import (
	"slices"
	"strings"
)

// A voice is a signature that counts for a change: of the change itself, of its merge, or
// of a review.
type voice struct {
	signers []int // holders of the key
	stated  bool  // the signed commit names the fleet and the branch
}

// voices adds one to a list, unless it is there already.
func voices(list []voice, v ...voice) []voice {
	for _, v := range v {
		if len(v.signers) > 0 && !slices.ContainsFunc(list, func(o voice) bool { return o.stated == v.stated && slices.Equal(o.signers, v.signers) }) {
			list = append(list, v)
		}
	}
	return list
}

// states reports whether the message of a commit ends with a statement for a branch of a
// fleet: a line such as "Fleet: example/main" among its trailers.
func states(c *Commit, audience, branch string) bool {
	_, message, _ := strings.Cut(string(c.Payload), "\n\n")
	paragraphs := strings.Split(strings.TrimSpace(message), "\n\n")
	if audience == "" || len(paragraphs) < 2 {
		return false
	}
	return slices.ContainsFunc(strings.Split(paragraphs[len(paragraphs)-1], "\n"), func(line string) bool {
		return strings.TrimSpace(line) == Statement(audience, branch)
	})
}

// Statement returns the trailer by which the signer of a commit says that it is for a
// branch of a fleet.
func Statement(audience, branch string) string { return "Fleet: " + audience + "/" + branch }

// isReview reports whether a commit changes nothing and states that all behind it is for
// a branch of a fleet.
func isReview(c *Commit, audience, branch string) bool {
	return c.Refused == "" && len(c.Parents) == 1 && len(c.Paths) == 0 && states(c, audience, branch)
}

// need returns how many people a change of an area needs, and the setting that says so.
func (p *Policy) need(a area) (people int, setting string) {
	const of = "platform.access.require."
	switch {
	case p.audience == "" || p.require == nil:
		return 1, ""
	case a.app.Tenant == "":
		people, setting = p.require.Platform, of+"platform"
	case a.app.Name == "":
		people, setting = p.require.Tenant, of+"tenant"
	default:
		people, setting = p.require.Application, of+"application"
	}
	return max(1, people), setting
}

// joined adds holders of one key to groups of holders that are one person each.
func joined(groups [][]int, holders []int) [][]int {
	others := groups[:0:0]
	for _, g := range groups {
		if slices.ContainsFunc(g, func(n int) bool { return slices.Contains(holders, n) }) {
			holders = slices.Concat(holders, g)
		} else {
			others = append(others, g)
		}
	}
	return append(others, holders)
}

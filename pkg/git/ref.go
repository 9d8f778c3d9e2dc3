package git

import (
	"fmt"
	"strings"
)

// maxRef bounds the length of a ref name.
const maxRef = 250

// CheckRefName returns an error if s cannot name a branch or tag. It follows the rules
// of git check-ref-format and refuses names that could be read as an option.
func CheckRefName(s string) error {
	refuse := func(why string) error { return fmt.Errorf("%q is not a valid branch or tag name: it %s", s, why) }
	switch {
	case s == "" || s == "@" || s == "HEAD":
		return refuse("is reserved")
	case len(s) > maxRef:
		return refuse(fmt.Sprintf("is longer than %d characters", maxRef))
	case strings.HasPrefix(s, "-"):
		return refuse("starts with a dash")
	case strings.Contains(s, "..") || strings.Contains(s, "@{") || strings.HasSuffix(s, "."):
		return refuse("contains .. or @{ or ends with a dot")
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || strings.HasPrefix(part, ".") || strings.HasSuffix(part, ".lock") {
			return refuse("has an empty part, or one that starts with a dot or ends with .lock")
		}
	}
	for _, r := range s {
		if r <= ' ' || r == 0x7f || r == 0xfffd || strings.ContainsRune(`~^:?*[\`, r) {
			return refuse("contains a character that Git does not allow")
		}
	}
	return nil
}

// Branch returns the full ref name of a branch.
func Branch(name string) string { return "refs/heads/" + name }

// Tag returns the full ref name of a tag.
func Tag(name string) string { return "refs/tags/" + name }

// Package page writes generated parts into pages of the documentation: what
// stands between two comments that name the part. It changes nothing else.
package page

import (
	"fmt"
	"os"
	"strings"
)

// Replace writes text between the lines <!-- begin NAME --> and <!-- end NAME -->.
func Replace(path, name, text string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
	before, rest, found := strings.Cut(string(content), begin)
	if !found {
		return fmt.Errorf("write into %s: it has no line %q", path, strings.TrimSpace(begin))
	}
	_, after, found := strings.Cut(rest, end)
	if !found {
		return fmt.Errorf("write into %s: it has no line %q", path, end)
	}
	return os.WriteFile(path, []byte(before+begin+text+end+after), 0o644)
}

package sops

import "strings"

// readDotenv reads lines of KEY=value, in which \n stands for the end of a line. What SOPS
// wrote about the file stands among them.
func readDotenv(data []byte) (branch, *metadata, error) {
	tree, about, seen := branch{}, map[string]string{}, map[string]bool{}
	n := 0
	for line := range strings.SplitSeq(string(data), "\n") {
		n++
		if len(seen) > maxValues {
			return nil, nil, wrong(ErrFormat, "it has more than %d values", maxValues)
		}
		if line == "" {
			continue
		}
		if line[0] == '#' {
			tree = append(tree, item{nil, comment(line[1:])})
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			return nil, nil, wrong(ErrFormat, "line %d is neither KEY=value nor a comment", n)
		}
		if seen[key] {
			return nil, nil, wrong(ErrFormat, "line %d has a key that is there already", n)
		}
		seen[key] = true
		value = strings.ReplaceAll(value, `\n`, "\n")
		if name, ok := strings.CutPrefix(key, "sops_"); ok {
			about[name] = value
			continue
		}
		tree = append(tree, item{&key, value})
	}
	if len(about) == 0 {
		return nil, nil, errPlain
	}
	m, err := flatMetadata(about)
	return tree, m, err
}

// Package newcomer follows the recipes of CONTRIBUTING.md, as somebody would who reads them for the first time.
package newcomer

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// recipe is one way to add something: the edits that it shows, and the commands that it names.
type recipe struct {
	name  string
	edits []edit
	write []string // commands that write files anew, in order
	check []string // commands that fail before the recipe is complete, and pass then
}

// edit is a new file, or the change of one place in a file.
type edit struct {
	file     string
	old, new string // old is "" for a new file
}

// read returns the recipes of a page: every paragraph that begins with a bold name and has a block of diff and one of sh.
func read(page string) (recipes []recipe, err error) {
	_, page, ok := strings.Cut(page, "\n## How to add …\n")
	if !ok {
		return nil, fmt.Errorf(`the page has no section "How to add …"`)
	}
	page, _, _ = strings.Cut(page, "\n## ")
	for _, part := range strings.Split(page, "\n**")[1:] {
		name, text, _ := strings.Cut(part, ".**")
		diff, commands := block(text, "diff"), block(text, "sh")
		if diff == "" {
			continue
		}
		r := recipe{name: name}
		if r.edits, err = parseDiff(diff); err != nil {
			return nil, fmt.Errorf("recipe %q: %w", name, err)
		}
		for command := range strings.Lines(commands) {
			command, _, _ = strings.Cut(command, " #")
			if command = strings.TrimSpace(command); strings.HasSuffix(command, " -update") {
				r.write = append(r.write, command)
			} else {
				r.check = append(r.check, command)
			}
		}
		recipes = append(recipes, r)
	}
	return recipes, nil
}

// block returns the content of the first block of a language.
func block(text, language string) string {
	_, text, _ = strings.Cut(text, "\n```"+language+"\n")
	text, _, _ = strings.Cut(text, "```\n")
	return text
}

// parseDiff reads a diff without line numbers: "+++ FILE" begins a file and "@@" a place in it. Its lines say what stands
// there before and after.
func parseDiff(diff string) (edits []edit, err error) {
	file := ""
	for line := range strings.Lines(diff) {
		switch last := len(edits) - 1; {
		case strings.HasPrefix(line, "+++ "):
			file = strings.TrimSpace(line[4:])
			edits = append(edits, edit{file: file})
		case strings.HasPrefix(line, "@@"):
			if edits[last] != (edit{file: file}) {
				edits = append(edits, edit{file: file})
			}
		case last < 0:
			return nil, fmt.Errorf("the diff does not begin with a file: %q", line)
		case line[0] == '+':
			edits[last].new += line[1:]
		case line[0] == '-':
			edits[last].old += line[1:]
		case line[0] == ' ', line == "\n":
			edits[last].old += strings.TrimPrefix(line, " ")
			edits[last].new += strings.TrimPrefix(line, " ")
		default:
			return nil, fmt.Errorf("%s: a line of a diff begins with +, - or a space: %q", file, line)
		}
	}
	return edits, nil
}

// apply makes the edit in a copy of the module.
func (e edit) apply(root string) error {
	data, err := e.made(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, e.file), []byte(data), 0o644)
}

// made returns the file as it is after the edit. The place that the edit changes must be there exactly once.
func (e edit) made(root string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, e.file))
	have := string(data)
	switch {
	case e.old == "" && os.IsNotExist(err):
		return e.new, nil
	case err != nil:
		return "", err
	case e.old == "":
		return "", fmt.Errorf("%s is there already", e.file)
	case strings.Count(have, e.old) != 1:
		return "", fmt.Errorf("%s has %d places where the recipe expects one:\n%s", e.file, strings.Count(have, e.old), e.old)
	}
	return strings.Replace(have, e.old, e.new, 1), nil
}

package dashboard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/d-aros/d-aros/pkg/access"
	"github.com/d-aros/d-aros/pkg/evaluate/cuefile"
	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
)

// Limits of a draft.
const (
	maxDraft   = 256 << 10 // bytes
	maxEdits   = 500
	maxDirs    = 10 // that one draft changes: they are decided on at once, and each may be as large as an application may
	maxPath    = 40
	maxLabel   = 400     // bytes
	maxDepth   = 40      // of a value
	maxMessage = 4 << 10 // bytes
)

// draft is the body of a request.
type draft struct {
	Base  string      `json:"base"`
	Edits []draftEdit `json:"edits"`

	// Of one that is saved.
	Name    string `json:"name"`
	Message string `json:"message"`
	Into    string `json:"into"` // "files": the work tree, without a commit; "": a branch
}

// draftEdit is an edit of what a directory declares, with its path below that.
type draftEdit struct {
	Dir   string          `json:"dir"`
	Path  []string        `json:"path"`
	Op    cuefile.Op      `json:"op"`
	Value json.RawMessage `json:"value,omitempty"`
	To    int             `json:"to"`
}

// staysWithin reports whether a draft changes only what somebody may read.
func (d draft) staysWithin(r access.Reading) bool {
	return r.All || !slices.ContainsFunc(d.Edits, func(e draftEdit) bool {
		part := strings.Split(e.Dir, "/")
		return len(part) < 2 || !r.Reads(part[1])
	})
}

// read returns the draft that a body has.
func (d draft) read() (out offline.Draft, err error) {
	switch {
	case !wholeCommit(d.Base):
		return out, fmt.Errorf("base=%.50q: write all 40 digits of the commit that the draft starts from", d.Base)
	case len(d.Edits) == 0:
		return out, fmt.Errorf("the draft has no edits")
	case len(d.Edits) > maxEdits:
		return out, fmt.Errorf("the draft has %d edits; one can have %d", len(d.Edits), maxEdits)
	}
	out.Base = d.Base
	var dirs []string
	for i, e := range d.Edits {
		made, err := e.read()
		if err != nil {
			return out, fmt.Errorf("edits[%d]: %w", i, err)
		}
		out.Edits = append(out.Edits, made)
		if !slices.Contains(dirs, e.Dir) {
			dirs = append(dirs, e.Dir)
		}
	}
	if len(dirs) > maxDirs {
		return out, fmt.Errorf("the draft changes %d directories; one can change %d", len(dirs), maxDirs)
	}
	return out, nil
}

func (e draftEdit) read() (out offline.DraftEdit, err error) {
	layer, ok := layerOf(e.Dir)
	tooLong := func(label string) bool { return len(label) > maxLabel }
	switch {
	case !ok:
		return out, fmt.Errorf("%.200q is no directory of a layer; write \".\", tenants/TENANT or tenants/TENANT/apps/APPLICATION", e.Dir)
	case len(e.Path) == 0 && layer != "application" && (e.Op == cuefile.Remove || e.Op == cuefile.Rename):
		return out, fmt.Errorf("only an application is removed or renamed as a whole")
	case len(e.Path) > maxPath || slices.ContainsFunc(e.Path, tooLong):
		return out, fmt.Errorf("the path is too long")
	}
	out.Dir = e.Dir
	if e.Op == rewrite {
		return e.text()
	}
	out.Edit = cuefile.Edit{Path: append([]string{layer}, e.Path...), Op: e.Op, To: e.To}
	if e.Value == nil {
		if e.Op == cuefile.Set || e.Op == cuefile.Add || e.Op == cuefile.Insert || e.Op == cuefile.Rename {
			return out, fmt.Errorf("%s needs a value", e.Op)
		}
		return out, nil
	}
	if deep(e.Value) {
		return out, fmt.Errorf("the value is nested more than %d deep", maxDepth)
	}
	out.Value = e.Value // with its fields in the order that the page gives them
	if e.Op == cuefile.Rename {
		var name string
		if json.Unmarshal(e.Value, &name) != nil || tooLong(name) {
			return out, fmt.Errorf("rename needs a name")
		}
		out.Value = name
	}
	return out, nil
}

// rewrite is the op that gives a file of a layer another text. Its path is the name of the file.
const rewrite cuefile.Op = "text"

// text returns the edit of a file's text.
func (e draftEdit) text() (out offline.DraftEdit, err error) {
	if len(e.Path) != 1 || path.Dir(e.Path[0]) != e.Dir || path.Ext(e.Path[0]) != ".cue" || path.Clean(e.Path[0]) != e.Path[0] {
		return out, fmt.Errorf("text needs the path of a file in %s", e.Dir)
	}
	out.Dir, out.File = e.Dir, e.Path[0]
	if e.Value == nil || json.Unmarshal(e.Value, &out.Text) != nil {
		return out, fmt.Errorf("text needs the text of the file")
	}
	return out, nil
}

// deep reports whether JSON is nested too deep to be written.
func deep(value []byte) bool {
	d := json.NewDecoder(bytes.NewReader(value))
	for depth := 0; ; {
		t, err := d.Token()
		switch {
		case err != nil:
			return false
		case t == json.Delim('{'), t == json.Delim('['):
			depth++
		case t == json.Delim('}'), t == json.Delim(']'):
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
}

// layerOf returns the field that the files of a directory declare.
func layerOf(dir string) (field string, ok bool) {
	part := strings.Split(dir, "/")
	switch {
	case dir == ".":
		return "platform", true
	case !fs.ValidPath(dir) || len(part) < 2 || part[0] != "tenants" || !model.ValidName(part[1]):
		return "", false
	case len(part) == 2:
		return "tenant", true
	case len(part) == 4 && part[2] == "apps" && model.ValidName(part[3]):
		return "application", true
	}
	return "", false
}

// message is that of the commit: what people wrote, without characters that do not show, or else what is changed.
func (d draft) message() string {
	var lines []string
	for line := range strings.SplitSeq(d.Message, "\n") {
		lines = append(lines, text.Line(line, maxMessage))
	}
	if said := strings.TrimSpace(strings.Join(lines, "\n")); said != "" {
		return said + "\n"
	}
	var names []string
	for _, e := range d.Edits {
		name := strings.TrimPrefix(strings.Replace(e.Dir, "/apps/", "/", 1), "tenants/")
		if e.Dir == "." {
			name = "the platform"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return "change " + text.Enumerate(names, 3) + "\n"
}

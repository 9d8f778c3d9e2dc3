package cuefile

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLists(t *testing.T) {
	const block = "a: [\n\t\"x\", // first\n\t// Then y.\n\t\"y\",\n]\n"
	const steps = "steps: [{\n\tname: \"a\"\n}, {\n\tname: \"b\" // b\n}]\n"
	for name, c := range map[string]struct {
		data string
		edit Edit
		want string
	}{
		"add to a line":             {"a: [1, 2]\n", Edit{[]string{"a"}, Add, 3, 0}, "a: [1, 2, 3]\n"},
		"add to an empty one":       {"a: []\n", Edit{[]string{"a"}, Add, "x", 0}, "a: [\"x\"]\n"},
		"add to an open one":        {"a: [1, ...]\n", Edit{[]string{"a"}, Add, 2, 0}, "a: [1, 2, ...]\n"},
		"add to none":               {"b: 1\n", Edit{[]string{"a"}, Add, "x", 0}, "b: 1\n\na: [\"x\"]\n"},
		"add to lines":              {block, Edit{[]string{"a"}, Add, "z", 0}, "a: [\n\t\"x\", // first\n\t// Then y.\n\t\"y\",\n\t\"z\",\n]\n"},
		"add to lines of Windows":   {"a: [\r\n  1,\r\n]\r\n", Edit{[]string{"a"}, Add, 2, 0}, "a: [\r\n  1,\r\n  2,\r\n]\r\n"},
		"insert into a line":        {"a: [1, 2]\n", Edit{[]string{"a", "0"}, Insert, 0, 0}, "a: [0, 1, 2]\n"},
		"insert into lines":         {block, Edit{[]string{"a", "1"}, Insert, "w", 0}, "a: [\n\t\"x\", // first\n\t\"w\",\n\t// Then y.\n\t\"y\",\n]\n"},
		"insert a struct":           {steps, Edit{[]string{"steps", "1"}, Insert, map[string]string{"name": "c"}, 0}, "steps: [{\n\tname: \"a\"\n}, {\n\tname: \"c\"\n}, {\n\tname: \"b\" // b\n}]\n"},
		"remove from a line":        {"a: [1, 2, 3]\n", Edit{[]string{"a", "1"}, Remove, nil, 0}, "a: [1, 3]\n"},
		"remove the last":           {"a: [1, 2, 3]\n", Edit{[]string{"a", "2"}, Remove, nil, 0}, "a: [1, 2]\n"},
		"remove the only one":       {"a: [1]\n", Edit{[]string{"a", "0"}, Remove, nil, 0}, "a: []\n"},
		"remove from lines":         {block, Edit{[]string{"a", "1"}, Remove, nil, 0}, "a: [\n\t\"x\", // first\n]\n"},
		"remove a struct":           {steps, Edit{[]string{"steps", "0"}, Remove, nil, 0}, "steps: [{\n\tname: \"b\" // b\n}]\n"},
		"move":                      {"a: [1, 2, 3]\n", Edit{[]string{"a", "0"}, Move, nil, 2}, "a: [2, 3, 1]\n"},
		"move with a comment":       {block, Edit{[]string{"a", "1"}, Move, nil, 0}, "a: [\n\t// Then y.\n\t\"y\",\n\t\"x\", // first\n]\n"},
		"move in lines":             {"a: [\n\t1,\n\t2,\n\t3,\n]\n", Edit{[]string{"a", "2"}, Move, nil, 0}, "a: [\n\t3,\n\t1,\n\t2,\n]\n"},
		"change an element":         {"a: [1, {b: 2}]\n", set(3, "a", "1", "b"), "a: [1, {b: 3}]\n"},
		"add a field to an element": {"a: [{b: 2}]\n", set(3, "a", "0", "c"), "a: [{b: 2, c: 3}]\n"},
		"add to a list in a list":   {"a: [[1]]\n", Edit{[]string{"a", "0"}, Add, 2, 0}, "a: [[1, 2]]\n"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, edited(t, c.data, c.edit)) })
	}
	for data, c := range map[string]struct {
		edit Edit
		want string
	}{
		"a: [1]\n":                     {Edit{[]string{"a", "3"}, Remove, nil, 0}, "app.cue:1:4: the list a has 1 elements"},
		"a: [\n\t1, // one\n\t2,\n]\n": {Edit{[]string{"a", "0"}, Move, nil, 1}, "app.cue: to move a would change something else, too; edit it by hand"},
		"a: [ // one\n\t1]\n":          {set([]int{2}, "a"), "app.cue: to set a would change something else, too; edit it by hand"},
		"a: [1, 2]\n":                  {Edit{[]string{"a", "1"}, Move, nil, 2}, "app.cue:1:4: the list a has 2 elements"},
		"a: [1]\nb: 1\n":               {Edit{[]string{"a", "x"}, Remove, nil, 0}, "remove a.x: the path does not end with the index of an element"},
		"a: {b: 1}\n":                  {Edit{[]string{"a"}, Add, 1, 0}, "app.cue:1:4: a is no list; edit it by hand"},
		"a: b\n":                       {Edit{[]string{"a"}, Add, 1, 0}, "app.cue:1:4: a is a reference; edit it by hand"},
		"a: [1]\na: [1]\n":             {Edit{[]string{"a"}, Add, 1, 0}, "app.cue:2:4: a is written here and at app.cue:1:4; edit it by hand"},
		"b: 1\n":                       {Edit{[]string{"a", "0"}, Remove, nil, 0}, "remove a.0: no file has the list"},
		"c: 1\n":                       {Edit{[]string{"a"}, "turn", nil, 0}, "a: there is no operation \"turn\""},
	} {
		_, err := Apply([]File{{"app.cue", []byte(data)}}, c.edit)
		require.EqualError(t, err, c.want, data)
	}
}

// Random edits of a list in several layouts come out as those of a slice.
func TestListsAreSlices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SampledFrom([]string{"a: [0, 1, 2]\n", "a: [\n\t0,\n\t1,\n\t2,\n]\n", "a: [\r\n  0,\r\n  // one\r\n  1,\r\n  2\r\n]\r\n", "a: [0,\n\t1,\n2]\n"}).Draw(t, "layout")
		want := []int{0, 1, 2}
		f := File{"a.cue", []byte(data)}
		for next := 3; next < 9; next++ {
			e := Edit{Path: []string{"a"}, Op: Add, Value: next}
			at := 0
			if len(want) > 0 {
				at = rapid.IntRange(0, len(want)-1).Draw(t, "at")
				e.Op = rapid.SampledFrom([]Op{Add, Insert, Remove, Move}).Draw(t, "op")
			}
			switch e.Op {
			case Add:
				want = append(want, next)
			case Insert:
				e.Path = []string{"a", strconv.Itoa(at)}
				want = append(want[:at:at], append([]int{next}, want[at:]...)...)
			case Remove:
				e.Path = []string{"a", strconv.Itoa(at)}
				want = append(want[:at:at], want[at+1:]...)
			case Move:
				e.Path, e.To = []string{"a", strconv.Itoa(at)}, rapid.IntRange(0, len(want)-1).Draw(t, "to")
				own, rest := want[at], append(want[:at:at], want[at+1:]...)
				want = append(rest[:e.To:e.To], append([]int{own}, rest[e.To:]...)...)
			}
			changed, err := Apply([]File{f}, e)
			if err != nil {
				t.Fatalf("%v: %v in %q", err, e, f.Data)
			}
			if len(changed) > 0 {
				f = changed[0]
			}
			var got []int
			places, err := Index(f)
			if err != nil {
				t.Fatalf("%v in %q", err, f.Data)
			}
			for _, p := range places {
				if len(p.Path) == 2 {
					got = append(got, number(string(f.Data[p.Start:p.End])))
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%v became %v: %q", want, got, f.Data)
			}
			for i := range got {
				if got[i] != want[i] {
					t.Fatalf("%v became %v: %q", want, got, f.Data)
				}
			}
		}
	})
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

package pool

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// rep joins n copies of a format that may use the index.
func rep(n int, sep, format string) string {
	s := make([]string, n)
	for i := range s {
		s[i] = strings.ReplaceAll(format, "#", fmt.Sprint(i))
	}
	return strings.Join(s, sep)
}

// tower makes a1 … an, each made of the one before.
func tower(first string, n int, line func(prev, cur string) string) string {
	s := first + "\n"
	for i := 1; i <= n; i++ {
		s += line(fmt.Sprint("a", i-1), fmt.Sprint("a", i)) + "\n"
	}
	return s
}

func nest8(prev, cur string) string { // eight fields of the definition before
	s := "#" + cur + ": {"
	for _, k := range "abcdefgh" {
		s += fmt.Sprintf("%c: #%s, ", k, prev)
	}
	return s + "}"
}

// A bomb is a small application that is too much. killed: it is ended at a limit.
type bomb struct {
	name, imports, source string
	killed                bool
}

var nestedFor = bomb{"nested-for", "list",
	"x: [for a in list.Range(0,300,1) for b in list.Range(0,300,1) for c in list.Range(0,300,1) {a+b+c}]", true}

var bombs = []bomb{
	nestedFor,
	{"range", "list", "x: [for i in list.Range(0, 3000000, 1) {i}]", true},
	{"billion-laughs", "", tower(`a0: "`+strings.Repeat("lo", 32)+`l"`, 8, func(p, c string) string {
		return c + `: "` + strings.Repeat(`\(`+p+`)`, 10) + `"`
	}), true},
	{"export", "", `components: r: {type: "raw", properties: objects: [{apiVersion: "v1", kind: "ConfigMap", metadata: name: "x"
` + tower("#a0: {x: 1}", 7, nest8) + "y: #a7}]}", true},

	{"disjunctions", "", "d: " + rep(20, " & ", "({p#: 1} | {q#: 1})"), false},
	{"deep-binary", "", "x: 1" + strings.Repeat("+1", 120_000), false},
	{"deep-binary-larger", "", "x: 1" + strings.Repeat("+1", 200_000), false},
	{"many-fields", "", rep(300_000, "\n", "f#: #"), false},
	{"deep-parens", "", "x: " + strings.Repeat("(", 100_000) + "1" + strings.Repeat(")", 100_000), false},
	{"deep-struct", "", "x: " + strings.Repeat("{a: ", 50_000) + "1" + strings.Repeat("}", 50_000), false},
	{"strings-repeat", "strings", `x: strings.Repeat("a", 4000000000)`, false},
	{"list-repeat", "list", "x: list.Repeat([1,2,3,4,5,6,7,8,9,10], 100000000)", false},
	{"pow", "math", "x: math.Pow(10, 200000000)", false},
	{"bigint", "", tower("a0: 99999999999999999999", 6, func(p, c string) string {
		return c + ": " + rep(10, "*", p)
	}), false},
	{"regexp", "strings", "x: =~\"^((((a{1,30}){1,30}){1,10})){1,10}$\"\nx: strings.Repeat(\"a\", 100000)", false},
	{"structural-cycle", "", "#L: {v: int, next: #L}\nx: #L & {v: 1}", false},
	{"fib", "", `#fib: {
	n: int
	out: int
	if n < 2 { out: n }
	if n >= 2 { let m = n
		let A = #fib & {n: m-1}
		let B = #fib & {n: m-2}
		out: A.out + B.out }
}
x: (#fib & {n: 30}).out`, false},
	{"one-of", "", `#A: {k: "a", v: #X} | {k: "b", v: #X} | {k: "c", v: #X}
#X: {l: #Y | string, r: #Y | string} | {l: #Y, m: #Y}
#Y: {p: #Z, q: #Z} | {p: #Z, r: #Z} | {p: #Z, s: #Z}
#Z: {a?: 1|2|3, b?: 1|2|3} | {a?: 2|3|4, c?: 1|2|3} | {d?: 1|2|3}
x: #A & #A & {v: l: p: _, v: l: q: _}
y: #A & #A & #A`, false},
	{"self-disjunct", "", "t: {a: 1} | {b: (t & {}).b}\nout: t & {a: 1}", false},
	{"nested-definitions", "", tower("#a0: {x: 1}", 7, nest8) + "x: #a7", false},
}

// bombsTakeSeconds skips a test of make quick.
func bombsTakeSeconds(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: evaluates bombs until their limits end them, which takes seconds")
	}
}

// Every bomb blames its own application, within the deadline, and all others go
// on.
func TestBombs(t *testing.T) {
	bombsTakeSeconds(t)
	p := open(t, Options{Deadline: 3 * time.Second})
	for _, b := range bombs {
		t.Run(b.name, func(t *testing.T) {
			before := workOfEnded(t)
			f := evaluate.Through(p).Fleet("c", fleetWith(b), nil)
			require.Less(t, workOfEnded(t)-before, 4*p.options.Deadline) // of two threads, and what they did before
			require.Len(t, f.Applications, 1, "the other one")
			require.Len(t, f.Unusable, 1)
			require.Equal(t, "bomb", f.Unusable[0].App.Name)
			limits := []string{"DA1016", "DA1017", "DA1018"}
			if b.killed {
				require.Contains(t, limits, f.Unusable[0].Code, f.Unusable[0].Message)
			} else {
				require.NotContains(t, limits, f.Unusable[0].Code, f.Unusable[0].Message)
			}
		})
	}
}

// workOfEnded is the CPU time of the children that have ended.
func workOfEnded(t *testing.T) time.Duration {
	var u syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

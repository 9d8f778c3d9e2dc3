package condition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
)

// Condition is a sentence that holds or does not.
type Condition struct {
	text string
	env  *cel.Env
	tree *cel.Ast
}

// Parse reads a condition of a step. It is an error if the condition is not one
// of yes or no.
func Parse(text string) (Condition, error) { return parse(steps, text) }

// ParseSuccess reads what a check takes for success.
func ParseSuccess(text string) (Condition, error) { return parse(answer, text) }

func parse(e *cel.Env, text string) (Condition, error) {
	if len(text) > maxText {
		return Condition{}, fmt.Errorf("condition has %d characters, at most %d are allowed: move part of it into a step of its own", len(text), maxText)
	}
	tree, issues := e.Compile(text)
	if err := issues.Err(); err != nil {
		return Condition{}, fmt.Errorf("condition %q: %s", text, firstOf(issues))
	}
	if tree.OutputType() != cel.BoolType {
		return Condition{}, fmt.Errorf("condition %q is a %s, not yes or no: compare it with something", text, tree.OutputType())
	}
	return Condition{text: text, env: e, tree: tree}, nil
}

// firstOf returns the first issue in one line, with its place.
func firstOf(issues *cel.Issues) string {
	for _, e := range issues.Errors() {
		return fmt.Sprintf("%s at character %d", strings.Join(strings.Fields(e.Message), " "), e.Location.Column()+1)
	}
	return "does not parse"
}

// Results reports whether the condition speaks of how steps ended, so that it takes
// over from the rule that all dependencies have to end well.
func (c Condition) Results() bool {
	return slices.ContainsFunc([]string{"always", "succeeded", "failed", "skipped"}, c.speaksOf)
}

func (c Condition) speaksOf(name string) bool {
	found := false
	c.visit(func(e ast.Expr) {
		found = found || e.Kind() == ast.IdentKind && e.AsIdent() == name
	})
	return found
}

// Steps returns the steps that the condition names, sorted. Whoever checks a
// workflow demands that they come earlier.
func (c Condition) Steps() []string {
	return c.keys("succeeded", "failed", "skipped", "outputs")
}

// Inputs returns the inputs that the condition names, sorted.
func (c Condition) Inputs() []string { return c.keys("inputs") }

// keys returns what is looked up in the maps of those names, where it is written
// out: failed.build, failed["build"], "build" in failed.
func (c Condition) keys(names ...string) []string {
	found := map[string]bool{}
	is := func(e ast.Expr) bool { return e.Kind() == ast.IdentKind && slices.Contains(names, e.AsIdent()) }
	c.visit(func(e ast.Expr) {
		switch e.Kind() {
		case ast.SelectKind:
			if s := e.AsSelect(); is(s.Operand()) {
				found[s.FieldName()] = true
			}
		case ast.CallKind:
			call := e.AsCall()
			if call.FunctionName() != operators.Index && call.FunctionName() != operators.In {
				return
			}
			of, key := call.Args()[0], call.Args()[1]
			if call.FunctionName() == operators.In {
				of, key = key, of
			}
			if is(of) && key.Kind() == ast.LiteralKind {
				if name, ok := key.AsLiteral().Value().(string); ok {
					found[name] = true
				}
			}
		}
	})
	return slices.Sorted(maps.Keys(found))
}

func (c Condition) visit(f func(ast.Expr)) {
	if c.tree != nil {
		ast.PreOrderVisit(c.tree.NativeRep().Expr(), ast.NewExprVisitor(f))
	}
}

// Values are what a condition of a step is about. Only steps that have ended are
// in the maps.
type Values struct {
	Succeeded, Failed, Skipped map[string]bool
	Inputs                     map[string]string
	Outputs                    map[string]map[string]string
}

// Holds reports whether the condition is true of v. It is an error to ask for what
// is not there.
func (c Condition) Holds(v Values) (bool, error) {
	return c.holds(map[string]any{
		"always": true, "succeeded": v.Succeeded, "failed": v.Failed, "skipped": v.Skipped,
		"inputs": v.Inputs, "outputs": v.Outputs,
	})
}

// Answer is what a check got back: of HTTP a status and a body, of a query a value.
type Answer struct {
	Status int
	Value  float64
	Body   string
}

// Accepts reports whether the answer is a success.
func (c Condition) Accepts(a Answer) (bool, error) {
	return c.holds(map[string]any{"status": int64(a.Status), "value": a.Value, "body": a.Body})
}

func (c Condition) holds(vars map[string]any) (bool, error) {
	if c.tree == nil {
		return false, errors.New("evaluate a condition that was not read")
	}
	program, err := c.env.Program(c.tree, cel.CostLimit(maxCost))
	if err != nil {
		return false, fmt.Errorf("condition %q: %w", c.text, err)
	}
	out, _, err := program.Eval(vars)
	if err != nil {
		return false, fmt.Errorf("condition %q: %w", c.text, err)
	}
	yes, ok := out.Value().(bool)
	if !ok {
		return false, fmt.Errorf("condition %q is neither yes nor no", c.text)
	}
	return yes, nil
}

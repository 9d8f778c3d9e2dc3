package condition

import (
	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/env"
)

const (
	maxText  = 1024 // characters of a condition
	maxDepth = 32   // of nested brackets
	maxCost  = 20_000
)

// base is CEL without loops, without the time, and without open types. Text of
// a time zone would be looked up on the machine.
var base = must(cel.NewCustomEnv(
	cel.StdLib(cel.StdLibSubset(env.NewLibrarySubset().SetDisableMacros(true).AddExcludedFunctions(
		env.NewFunction("timestamp"), env.NewFunction("duration"), env.NewFunction("dyn"), env.NewFunction("type"),
	))),
	cel.ClearMacros(),
	cel.Macros(cel.HasMacro),
	cel.ParserExpressionSizeLimit(maxText),
	cel.ParserRecursionLimit(maxDepth),
	cel.ParserErrorRecoveryLimit(1),
))

var (
	flags  = cel.MapType(cel.StringType, cel.BoolType)
	values = cel.MapType(cel.StringType, cel.StringType)

	// steps is what `if` may speak of.
	steps = must(base.Extend(
		cel.Variable("always", cel.BoolType),
		cel.Variable("succeeded", flags),
		cel.Variable("failed", flags),
		cel.Variable("skipped", flags),
		cel.Variable("inputs", values),
		cel.Variable("outputs", cel.MapType(cel.StringType, values)),
	))

	// answer is what `success` of a check may speak of.
	answer = must(base.Extend(
		cel.Variable("status", cel.IntType),
		cel.Variable("value", cel.DoubleType),
		cel.Variable("body", cel.StringType),
	))
)

func must(e *cel.Env, err error) *cel.Env {
	if err != nil {
		panic("condition: " + err.Error())
	}
	return e
}

// Package decode turns the document of one directory into values of the model.
//
// It decides the meaning of declared values: units, defaults, the layer that set a policy
// value. It refuses values that the schema cannot bound: amounts that overflow, a limit
// below its request, an unknown principal. It never reads files, never evaluates CUE,
// and uses no directory but its own and the layers above.
//
// A struct here has the fields of a definition of the schema. It embeds the type of the
// model that it becomes, and shadows fields that people write differently, such as
// durations. A test keeps the fields in step. Results belong to the caller.
package decode

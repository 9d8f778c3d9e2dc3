// Package check finds problems that the schema cannot see: references between parts of an
// application (Application) and to the platform (Offered), and problems between
// directories: namespaces that several tenants want, and guarantees that together exceed
// the capacity.
//
// It returns problems with their places. It never decides which applications are
// usable and never changes what it is given; package evaluate does both. It never
// reads files. The problems belong to the caller.
package check

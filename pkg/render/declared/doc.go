// Package declared has what types of components and traits share of the declarations that owners write:
// it reads them strictly, and blames what it refuses with a stable code and a path.
package declared

// Package model holds the nouns of D-AROS: what a fleet declares, what an
// execution environment offers, what arbitration decides and what the ledger
// remembers. It has values and small questions about them, no behaviour, and
// imports nothing but the standard library.
//
// A type lives here only when two packages that do not import each other both
// speak of it. Slices are sorted by the name or identity of their elements
// wherever a doc comment does not say otherwise, so that equal values encode to
// equal bytes.
package model

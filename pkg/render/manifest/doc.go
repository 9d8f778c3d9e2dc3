// Package manifest decides which objects that owners wrote may become those of a component: their kinds, their
// fields, those of their pods, and what they ask for together. What it refuses it names by its path.
package manifest

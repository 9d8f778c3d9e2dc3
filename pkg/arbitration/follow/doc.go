// Package follow arbitrates again and again on almost the same inputs: it compares
// them with those of the last pass, redoes what the difference concerns, and
// brings the last ruling up to date. It has no rules of its own: in every pass it
// rules as package arbitration does, which a test checks after thousands of random
// edits. What it keeps is a cache and can be dropped at any time.
package follow

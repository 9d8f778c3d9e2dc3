// Package chart reads untrusted charts of Helm and renders them.
//
// A template is a program. Helm's own engine runs it, in memory and without a cluster: it
// knows no environment, no host names, no files but those of the chart, and asks no cluster.
// What would come out differently the next time, such as the time and random numbers, is
// found out and refused.
//
// Read bounds the files that it reads. Nothing bounds the time and memory of a template:
// the caller builds where both are limited. The package never decides which objects a
// tenant may have; package render does.
package chart

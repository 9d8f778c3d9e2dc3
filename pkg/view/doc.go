// Package view holds the answers that programs read: the values of status, explain, history, events, vet
// and plan, and their JSON. Every way to ask gives the same bytes.
//
// It decides which facts an answer has, how they are named and in which order they come. It never decides what is true:
// ledger, history and plan are handed in. It has no text for people and reads nothing itself.
//
// Values share slices and records with what they were made of, so the caller changes neither while an answer is in use.
package view

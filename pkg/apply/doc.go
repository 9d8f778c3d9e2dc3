// Package apply makes a cluster hold what was rendered: it creates, changes and
// prunes objects by server-side apply, in parallel, fairly between tenants and
// applications, and can be cancelled at any moment.
//
// It decides object by object whether a request is needed at all: what the
// cluster shows (Live, a watch cache) is compared with what the last apply left
// behind, and an object that is as it was left costs nothing. It never decides
// what should run, never takes a field that it does not send, never deletes
// anything that its inventory does not list and that does not carry the labels
// of the application, and never deletes namespaces, definitions and volumes.
package apply

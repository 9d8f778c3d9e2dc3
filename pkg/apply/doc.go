// Package apply brings rendered objects into a cluster: it creates, changes and
// prunes objects by server-side apply, in parallel, fairly between tenants and
// applications, and can be cancelled at any moment.
//
// It decides object by object whether a request is needed: it compares the state in
// Live, a watch cache, with the state after the last apply, and an unchanged object
// costs no request. It never decides which workloads run, never owns a field that it
// does not send, never deletes an object that is not in its inventory or lacks the
// labels of the application, and never deletes namespaces, definitions and volumes.
package apply

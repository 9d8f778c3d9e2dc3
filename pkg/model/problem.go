package model

// Codes of problems that more than one package speaks of. docs/errors.md lists
// all codes.
const (
	CodeRemovalHeld    = "DA1901" // a commit removes more applications than it may without confirmation
	CodeRecordDamaged  = "DA1902" // a record on the status branch cannot be read
	CodeSpecDoubted    = "DA2102" // no commit declares a spec of a status branch that nobody signs
	CodeNotKept        = "DA1598" // a node does not keep a reservation of a unit of the system
	CodeNoSuchCluster  = "DA1349" // a pool is in a cluster that the reconciler was not told of
	CodePastUseChanged = "DA1379" // the record of past use was changed by hand
	CodeMoveWaits      = "DA1903" // the application that another one moves to is not admitted yet
)

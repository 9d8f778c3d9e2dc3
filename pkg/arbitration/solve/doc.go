// Package solve has the rules of arbitration. A Case holds the inputs of one
// arbitration, the books of what is taken, and one App for each application; every
// stage reads what the stages before it left there and adds what it decides:
//
//  1. KeepPlace (keep.go): a running application keeps its place.
//  2. PassGate (gate.go, gate_pools.go): all checks for every application.
//  3. FairShares (demand.go, guarantee.go, fairshare.go): guarantees, then weighted,
//     demand-capped, hierarchical dominant-resource fairness, band by band.
//  4. Stand (stand.go): the standing of every part of every application. It follows
//     from what is declared and never from what runs, so nothing cycles.
//  5. Allot (allot.go): who gives way when a pool lost capacity (shortage.go), newer
//     specs, pending applications, each on its best level that fits (queue.go, levels.go),
//     room for what stands better (room.go, options.go, choose.go, fewest.go), and in
//     the end what was degraded is restored (restore.go).
//  6. Number: the positions of applications that stay pending.
//
// The package writes no decisions and compares nothing with an earlier pass. A Case
// owns its slices and never changes the slices of its inputs. Amounts are integers:
// thousandths of a core, bytes, devices.
package solve

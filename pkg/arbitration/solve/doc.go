// Package solve has the rules of arbitration. A Case holds the inputs of one
// arbitration, the books of what is taken, and one App for each application; every
// stage reads what the stages before it left there and adds what it decides:
//
//  1. KeepPlace (keep.go): a running application keeps its place.
//  2. PassGate (gate.go, gate_pools.go): all checks for every application.
//  3. FairShares (demand.go, guarantee.go, fairshare.go, history.go): guarantees, then weighted,
//     demand-capped, hierarchical dominant-resource fairness, band by band.
//  4. Stand (stand.go): the standing of every part of every application. It follows
//     from what is declared and never from what runs, so nothing cycles.
//  5. Allot (allot.go): who gives way when a pool lost capacity (shortage.go), newer
//     specs, pending applications, each on the highest level that fits or that others make
//     room for (queue.go, levels.go, room.go, options.go, choose.go, fewest.go), if the outcome
//     is fairer (fairness.go), and in the end what was degraded is restored (restore.go). For the
//     first of each line that is not served room is kept as of a time (promise.go), if it is known when what runs ends (times.go).
//  6. Number: the positions of applications that stay pending.
//
// What has to stand in one topology domain of its pool is booked there as in the pool (together.go), so that each domain is
// one more place to look for room in.
//
// Nothing cycles while the same is declared, capacity stays and so do weights that follow past use, which change with
// time, a step after another. Call the amount that runs at a
// standing the sum of the dominant shares of the parts that stand so, and list the
// amounts from the best standing to the worst. Who gets a place or a higher level in free capacity adds to the
// list. Inside a tenant the parts that are gained are of a higher priority and stand better than
// all that are lost, so the first amount that differs is larger. A plan that
// takes from other tenants is refused unless that is so (scale.standsBetter), whether an application
// enters, grows or is restored. For that the parts of a band within fair shares are ordered by what their tenant lacks of its
// fair share before them, which inside a tenant is the order of priorities (rank.go). Where what runs of each tenant is what
// stands best, who lacks most is who misses most, so what is fairer then also ranks better, and of each tenant the
// first part that exceeds its fair share has its place in this order, too (exceed.go). Standings follow from what is declared and never
// from who runs. So each change makes the list larger, in the order of words in a dictionary, and as there are
// finitely many states, everything comes to rest. The acceptance test (scale.verdict) decides
// whether a plan is fair; that it is no potential across own-tenant exchanges does no harm: an exchange inside a
// tenant may lower what the tenant uses, but the list only grows. Who gives way in a shortage and is told so follows from what
// is declared, too, and not from the levels that run, so it stays the same one until it loses its place.
//
// The package writes no decisions and compares nothing with an earlier pass. A Case
// owns its slices and never changes the slices of its inputs. Amounts are integers:
// thousandths of a core, bytes, devices.
package solve

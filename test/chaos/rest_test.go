package chaos

import (
	"fmt"
	"strconv"
	"strings"
)

// quiet is the number of passes in which nothing may be written when nothing happens.
const quiet = 10

// begin starts the fleet, and others beside it.
func (w *world) begin() error {
	w.trustKey()
	w.commit("a fleet", fleetFile(w.name), tenant("acme"))
	w.reconciler.start()
	go w.weigh()
	if err := w.makeOthers(); err != nil {
		return err
	}
	w.commit("applications", w.base()...)
	return w.until("the fleet runs", func() error { return w.running(w.bare.Dir, "acme/shop", "globex/api", "mallory/idle") })
}

// rest ends what is done, and demands that all is as declared and that nothing is written any more. The reconciler starts
// anew, as it forgets then how long it was to wait for others who fought with it.
func (w *world) rest() error {
	w.tell("rest")
	w.disarm()
	w.reconciler.stop()
	w.reconciler.start()
	if err := w.change(); err != nil {
		return err
	}
	if err := w.until("all is as declared", func() error {
		if err := w.running(w.bare.Dir, "acme/shop", "globex/api", "mallory/idle"); err != nil {
			return err
		}
		return w.selects("web")
	}); err != nil {
		return err
	}
	var tip string
	var writes, since int
	err := w.until(fmt.Sprintf("%d passes write nothing", quiet), func() error {
		passes, err := w.passes()
		if err != nil {
			return err
		}
		tipNow := w.bare.Git("rev-parse", "status")
		now, _, latest := w.gate.counted()
		if tipNow != tip || now != writes || passes < since {
			tip, writes, since = tipNow, now, passes
		}
		if passes < since+quiet {
			return fmt.Errorf("%d passes since commit %s and the writes %s", passes-since, tip, strings.Join(latest, ", "))
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.nextCheck()
}

// passes is how many passes this process has made.
func (w *world) passes() (int, error) {
	metrics, err := w.reconciler.get("/metrics")
	sum := 0
	for line := range strings.Lines(metrics) {
		if rest, ok := strings.CutPrefix(line, "daros_passes_total{"); ok {
			_, number, _ := strings.Cut(rest, "} ")
			n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil {
				return 0, err
			}
			sum += int(n)
		}
	}
	return sum, err
}

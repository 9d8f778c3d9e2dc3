package status

import (
	"strings"

	"github.com/d-aros/d-aros/pkg/git"
)

// nodes plans the files with what the nodes of each pool are to keep in force. They follow
// from the ledger, which has them from now on, and are never read back.
func (p *plan) nodes() {
	if p.base.nodes == nil || p.format.Major == 1 {
		return
	}
	p.ledger.Plans = p.base.ledger.Plans // what does not change stays as it is
	plans := p.base.nodes(&p.ledger)
	p.ledger.Plans = plans
	for pool, b := range plans {
		file := nodesDir + "/" + pool + ".json"
		if label.MatchString(pool) && len(b) <= maxFile && p.base.tree.blob(file) != git.BlobHash(b) {
			p.edits.write(file, b)
		}
	}
	there := p.base.tree.at(nodesDir)
	if there == nil {
		return
	}
	for _, file := range there.files("") {
		if pool, ok := strings.CutSuffix(file, ".json"); ok && plans[pool] == nil {
			p.edits.remove(nodesDir + "/" + file)
		}
	}
}

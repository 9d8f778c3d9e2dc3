package pool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/d-aros/d-aros/pkg/evaluate"
)

// maxBooks bounds the file with the books, in bytes.
const maxBooks = 8 << 20

// maxTenants bounds the accounts.
const maxTenants = 10_000

// saveEvery is how often the books are written while nothing fails.
const saveEvery = time.Second

// books are what evaluations have cost, and which of them failed. They are kept in a file,
// so that a restart forgives nothing. Without it, or with a damaged one, all begin anew.
type books struct {
	file     string // "": none
	accounts map[string]*account
	allotted map[string]time.Duration // budgets of tenants that have another one than model.Work
	failures failures
	saved    time.Time
}

// page is the file of the books.
type page struct {
	Accounts map[string]*account `json:"accounts"`
	Failures failures            `json:"failures"`
}

// openBooks reads the books in a directory, "" for none.
func openBooks(dir string, now time.Time) books {
	b := books{accounts: map[string]*account{}, failures: failures{}}
	if dir == "" {
		return b
	}
	b.file = filepath.Join(dir, "budgets.json")
	info, err := os.Stat(b.file)
	if err != nil || info.Size() > maxBooks {
		return b
	}
	data, err := os.ReadFile(b.file)
	var kept page
	if err != nil || json.Unmarshal(data, &kept) != nil {
		return b
	}
	for tenant, a := range kept.Accounts {
		if a != nil && len(b.accounts) < maxTenants { // whatever the clock was then, nobody waits for longer than from now
			if a.front = foreground; a.At.After(now) {
				a.At = now
			}
			b.accounts[tenant] = a
		}
	}
	for key, f := range kept.Failures {
		if len(b.failures) < maxFailed && f.Limit != "" {
			f.Wait = min(max(f.Wait, firstWait), maxWait)
			if last := now.Add(f.Wait); f.Until.After(last) {
				f.Until = last
			}
			b.failures[key] = f
		}
	}
	return b
}

// of returns the account of a tenant as of now.
func (b *books) of(tenant string, now time.Time) *account {
	a := b.accounts[tenant]
	if a == nil {
		if len(b.accounts) >= maxTenants {
			b.forget(now)
		}
		a = &account{}
		b.accounts[tenant] = a
	}
	a.budget = b.allotted[tenant]
	a.fill(now)
	return a
}

// forget drops the account of the tenant that owes least, among those without a job.
func (b *books) forget(now time.Time) {
	least := ""
	for tenant, a := range b.accounts {
		if a.fill(now); a.jobs == 0 && (least == "" || a.Left > b.accounts[least].Left) {
			least = tenant
		}
	}
	delete(b.accounts, least)
}

// settle books what an evaluation came to that has ended, and what it cost a tenant, "" for nobody.
func (b *books) settle(tenant, key string, work, waited time.Duration, err error, now time.Time) {
	a := &account{}
	if tenant != "" {
		a = b.of(tenant, now)
	}
	exhausted := errors.As(err, new(*evaluate.Exhausted))
	if exhausted {
		a.fail(work, waited)
	} else {
		a.charge(work, waited)
	}
	if err != nil {
		b.failures.add(key, err, now)
	} else {
		delete(b.failures, key)
	}
	b.save(now, exhausted)
}

// save writes the books if it can, at once or when the last time was a while ago.
func (b *books) save(now time.Time, atOnce bool) {
	if b.file == "" || !atOnce && now.Sub(b.saved) < saveEvery {
		return
	}
	b.saved = now
	owing := page{Accounts: map[string]*account{}, Failures: b.failures}
	for tenant := range b.accounts {
		if a := b.of(tenant, now); a.Left < a.most() {
			owing.Accounts[tenant] = a
		}
	}
	data, err := json.Marshal(owing)
	if err == nil {
		_ = write(b.file, data) // without it the next start forgives
	}
}

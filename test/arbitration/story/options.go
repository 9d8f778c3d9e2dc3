package story

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/model"
)

// options are the words of a statement: names first, then key=value.
type options struct {
	names  []string
	values map[string]string
	err    error // the first
}

func read(words []string) *options {
	o := &options{values: map[string]string{}}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			o.values[key] = value
		} else {
			o.names = append(o.names, w)
		}
	}
	return o
}

func (o *options) fail(err error) { o.err = cmp.Or(o.err, err) }

// rest returns the first error, or names an option that nobody has read.
func (o *options) rest() error {
	for key := range o.values {
		o.fail(fmt.Errorf("no such option: %s", key))
	}
	return o.err
}

// name returns the only name.
func (o *options) name() string {
	if len(o.names) != 1 {
		o.fail(fmt.Errorf("one name was expected, not %d", len(o.names)))
		return ""
	}
	return o.names[0]
}

// is reports whether a word without a value stands among the names.
func (o *options) is(word string) bool {
	for _, n := range o.names {
		if n == word {
			return true
		}
	}
	return false
}

func (o *options) word(key, otherwise string) string {
	value, ok := o.values[key]
	delete(o.values, key)
	if !ok {
		return otherwise
	}
	return value
}

func (o *options) number(key string, otherwise int) int {
	word := o.word(key, "")
	if word == "" {
		return otherwise
	}
	n, err := strconv.Atoi(word)
	o.fail(err)
	return n
}

func (o *options) time(key string) time.Duration {
	d, err := time.ParseDuration(o.word(key, "0s"))
	o.fail(err)
	return d
}

func (o *options) amount(key string) model.Resources {
	word := o.word(key, "")
	if word == "" {
		return model.Resources{}
	}
	r, err := parseAmount(word)
	o.fail(err)
	return r
}

// placement is a pool, or flavours: flavours=fast/slow:4 are pool fast, and pool slow with other requests.
func (o *options) placement() (p model.Placement) {
	p.Pool = o.word("in", "")
	if mode := o.word("together", ""); mode != "" {
		p.Together = &model.Together{Over: "rack", Mode: model.TogetherMode(mode)}
	}
	for word := range strings.SplitSeq(o.word("flavours", ""), "/") {
		pool, size, other := strings.Cut(word, ":")
		f := model.Flavour{Pool: pool}
		if other {
			var err error
			f.Requests, err = parseAmount(size)
			o.fail(err)
		}
		if pool != "" {
			p.Flavours = append(p.Flavours, f)
		}
	}
	return p
}

// poolQuotas are limits of cpu by pool: pools=fast:3/slow:2.
func (o *options) poolQuotas() (quotas []model.PoolQuota) {
	for word := range strings.SplitSeq(o.word("pools", ""), "/") {
		if pool, size, ok := strings.Cut(word, ":"); ok {
			r, err := parseAmount(size)
			o.fail(err)
			quotas = append(quotas, model.PoolQuota{Pool: pool, Limits: map[string]int64{"cpu": r.CPU}})
		}
	}
	return quotas
}

// limit is an amount that may be absent.
func (o *options) limit(key string) *model.Resources {
	if _, ok := o.values[key]; !ok {
		return nil
	}
	r := o.amount(key)
	return &r
}

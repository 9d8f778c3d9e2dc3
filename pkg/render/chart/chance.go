package chart

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
)

// A chance answers templates that ask for what differs from one render to the next: the time, random
// numbers, and what is made of them. It has two answers to each question. So a chart comes out
// differently for certain if it may, and within a moment, where keys and certificates would take seconds.
type chance struct {
	calls int
	other func(call int) bool // reports whether a call, counted from 1, has the second answer; nil: none has
	fails int                 // the call that fails; 0: none
}

var errChance = errors.New("comes out differently each time")

// pick returns one of two answers.
func pick[T any](c *chance, first, second T) (T, error) {
	switch c.calls++; {
	case c.calls == c.fails:
		return first, errChance
	case c.other != nil && c.other(c.calls):
		return second, nil
	}
	return first, nil
}

// letters returns a function that returns a text of one of two letters.
func (c *chance) letters(first, second string) func(int) (string, error) {
	return func(n int) (string, error) {
		letter, err := pick(c, first, second)
		return strings.Repeat(letter, max(0, n)), err
	}
}

// now is the time of a render.
func (c *chance) now() (time.Time, error) {
	return pick(c, time.Date(2001, 2, 3, 4, 5, 6, 7, time.UTC), time.Date(2012, 11, 10, 19, 58, 57, 56, time.UTC))
}

// time returns what functions of dates take a value for: the time, or that of the render.
func (c *chance) time(date any) (time.Time, error) {
	switch date := date.(type) {
	case time.Time:
		return date, nil
	case *time.Time:
		return *date, nil
	case int64:
		return time.Unix(date, 0), nil
	case int:
		return time.Unix(int64(date), 0), nil
	case int32:
		return time.Unix(int64(date), 0), nil
	}
	return c.now()
}

// format writes a date. The only zone is UTC: others are those of a machine.
func (c *chance) format(layout string, date any, zone string) (string, error) {
	if zone != "" && zone != "UTC" && zone != "Local" {
		return "", fmt.Errorf("knows the time zone UTC only, and not %.40q", zone)
	}
	t, err := c.time(date)
	return t.UTC().Format(layout), err
}

// since returns how long ago a date was.
func (c *chance) since(date any) (time.Duration, error) {
	t, err := c.time(date)
	if err != nil {
		return 0, err
	}
	now, err := c.now()
	return now.Sub(t), err
}

// A certificate has the fields of sprig's.
type certificate struct{ Cert, Key string }

// certificate is one that is made anew each time, with a key that is given or made, too.
func (c *chance) certificate(key string) (certificate, error) {
	n, err := pick(c, "1", "2")
	key = cmp.Or(key, "key "+n)
	return certificate{"certificate " + n, key}, err
}

// functions are those of templates that have another result each time, and those whose result depends on the
// machine or on the order of a map.
func (c *chance) functions() template.FuncMap {
	return template.FuncMap{
		"now":          c.now,
		"date":         func(layout string, date any) (string, error) { return c.format(layout, date, "UTC") },
		"dateInZone":   c.format,
		"date_in_zone": c.format,
		"htmlDate":     func(date any) (string, error) { return c.format(time.DateOnly, date, "UTC") },
		"htmlDateInZone": func(date any, zone string) (string, error) {
			return c.format(time.DateOnly, date, zone)
		},
		"toDate":     func(layout, text string) time.Time { t, _ := time.Parse(layout, text); return t },
		"mustToDate": time.Parse,
		"ago": func(date any) (string, error) {
			d, err := c.since(date)
			return d.Round(time.Second).String(), err
		},
		"durationRound": func(duration any) (any, error) {
			if _, ok := duration.(time.Time); ok {
				d, err := c.since(duration)
				return roundDuration(int64(d)), err
			}
			return roundDuration(duration), nil
		},

		"randAlphaNum": c.letters("a", "b"), "randAlpha": c.letters("a", "b"), "randAscii": c.letters("a", "b"), "randNumeric": c.letters("1", "2"),
		"randBytes": func(n int) (string, error) {
			text, err := c.letters("a", "b")(n)
			return base64.StdEncoding.EncodeToString([]byte(text)), err
		},
		"randInt": func(low, high int) (int, error) {
			if low >= high {
				return 0, errors.New("has no number to choose")
			}
			return pick(c, low, high-1)
		},
		"uuidv4": func() (string, error) {
			return pick(c, "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222")
		},
		"shuffle": func(text string) (string, error) {
			up := slices.Sorted(slices.Values([]rune(text)))
			down := slices.Clone(up)
			slices.Reverse(down)
			return pick(c, string(up), string(down))
		},
		"bcrypt":     func(string) (string, error) { return pick(c, "hash 1", "hash 2") },
		"htpasswd":   func(user, _ string) (string, error) { return pick(c, user+":hash 1", user+":hash 2") },
		"encryptAES": func(_, _ string) (string, error) { return pick(c, "text 1", "text 2") },

		"genPrivateKey":            func(string) (string, error) { return pick(c, "key 1", "key 2") },
		"genCA":                    func(string, int) (certificate, error) { return c.certificate("") },
		"genCAWithKey":             func(_ string, _ int, key string) (certificate, error) { return c.certificate(key) },
		"genSelfSignedCert":        func(string, []any, []any, int) (certificate, error) { return c.certificate("") },
		"genSelfSignedCertWithKey": func(_ string, _, _ []any, _ int, key string) (certificate, error) { return c.certificate(key) },
		"genSignedCert":            func(string, []any, []any, int, certificate) (certificate, error) { return c.certificate("") },
		"genSignedCertWithKey": func(_ string, _, _ []any, _ int, _ certificate, key string) (certificate, error) {
			return c.certificate(key)
		},
		"buildCustomCert": func(cert, key string) (certificate, error) {
			first, err := base64.StdEncoding.DecodeString(cert)
			second, further := base64.StdEncoding.DecodeString(key)
			return certificate{string(first), string(second)}, errors.Join(err, further)
		},

		"keys": func(dicts ...map[string]any) (all []string) {
			for _, d := range dicts {
				all = append(all, slices.Sorted(maps.Keys(d))...)
			}
			return all
		},
		"values": func(dict map[string]any) (all []any) {
			for _, key := range slices.Sorted(maps.Keys(dict)) {
				all = append(all, dict[key])
			}
			return all
		},
	}
}

// roundDuration is sprig's for what is no point in time.
var roundDuration = sprig.TxtFuncMap()["durationRound"].(func(any) string)

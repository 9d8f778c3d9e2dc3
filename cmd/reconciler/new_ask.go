package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"sync/atomic"

	"charm.land/huh/v2"

	"github.com/d-aros/d-aros/pkg/offline"
	"github.com/d-aros/d-aros/pkg/text"
)

// interview asks a person for a declaration.
type interview struct {
	ctx        context.Context
	in         *typed
	out        io.Writer
	accessible bool // line by line
	base       *offline.Base
	offers     offline.Offers
	d          *offline.Declaration
}

// typed is what a person types. After the end of it there is nothing to wait for.
type typed struct {
	io.Reader
	ended bool
}

func (a *typed) Read(b []byte) (int, error) {
	n, err := a.Reader.Read(b)
	a.ended = a.ended || err != nil
	return n, err
}

// keyboard is the terminal as one form reads it. A form that has ended may still wait for input (its reader closes what it
// waits on, which wakes nobody); it must not take what is typed into the next one.
type keyboard struct {
	*os.File
	away atomic.Bool
}

func (k *keyboard) Read(b []byte) (int, error) {
	if k.away.Load() {
		return 0, io.EOF
	}
	return k.File.Read(b)
}

// question is a question for one value.
type question struct {
	path     string // of the value, below what is declared
	title    string
	options  []string // to choose from; none: any text
	many     bool     // of them
	optional bool     // without an answer the policy or the schema decides
	value    func(answer string) string
}

// later stands for no choice.
const later = "(as the policy says)"

// ask asks a question and keeps the answer, which the reconciler accepts.
func (i *interview) ask(q question) error {
	if q.value == nil {
		q.value = func(answer string) string { return answer }
	}
	answer, err := i.answer(q, func(answer string) error { return i.check(q, answer) })
	if err != nil || answer == "" {
		return err
	}
	return i.d.Set(i.d.Prefix() + q.path + "=" + q.value(answer))
}

// answer asks a question until the answer fits. It keeps nothing.
func (i *interview) answer(q question, fits func(string) error) (answer string, err error) {
	check := func(answer string) error {
		answer = strings.TrimSpace(answer)
		switch {
		case answer != "":
			return fits(answer)
		case !q.optional:
			return errors.New("it needs an answer")
		}
		return nil
	}
	title := text.Clean(q.title)
	if q.optional && i.accessible && len(q.options) == 0 {
		title += " (empty: as the policy says)"
	}
	title += ":"
	var field huh.Field
	var several []string
	switch {
	case q.many:
		field = huh.NewMultiSelect[string]().Title(title).Options(optionsOf(q.options)...).Value(&several).
			Validate(func(list []string) error { return check(listOf(list)) })
	case len(q.options) > 0:
		choices := optionsOf(q.options)
		if q.optional {
			choices = append([]huh.Option[string]{huh.NewOption(later, "")}, choices...)
		}
		field = huh.NewSelect[string]().Title(title).Options(choices...).Value(&answer).Validate(check)
	default:
		field = huh.NewInput().Title(title).Value(&answer).Validate(check)
	}
	if err := i.show(field); err != nil {
		return "", err
	}
	if q.many {
		answer = listOf(several)
	}
	return strings.TrimSpace(answer), nil
}

// show lets a person fill in a field.
func (i *interview) show(field huh.Field) error {
	form := huh.NewForm(huh.NewGroup(field)).WithInput(i.in).WithOutput(i.out)
	if !i.accessible && os.Getenv("TERM") != "dumb" {
		keys := &keyboard{File: i.in.Reader.(*os.File)}
		defer keys.away.Store(true)
		if err := form.WithInput(keys).RunWithContext(i.ctx); err != nil {
			return stopped(i.ctx)
		}
		return nil
	}
	done := make(chan error, 1)
	go func() { done <- form.WithAccessible(true).RunWithContext(i.ctx) }()
	select {
	case err := <-done:
		if err == nil && i.in.ended {
			err = stopped(i.ctx)
		}
		return err
	case <-i.ctx.Done(): // reading from a terminal does not end with it
		return i.ctx.Err()
	}
}

// agree asks whether to write what was shown.
func (i *interview) agree(commit bool) error {
	title, yes := "Write this?", false
	if commit {
		title = "Commit this?"
	}
	if err := i.show(huh.NewConfirm().Title(title).Value(&yes)); err != nil {
		return err
	}
	if !yes {
		return &exitCode{exitDiffers, "nothing was changed"}
	}
	return nil
}

// check returns what the reconciler would say about an answer.
func (i *interview) check(q question, answer string) error {
	d := *i.d
	if err := d.Set(d.Prefix() + q.path + "=" + q.value(answer)); err != nil {
		return err
	}
	draft, err := d.Draft(i.base.Files())
	if err != nil {
		return err
	}
	problems, err := i.base.Check(i.ctx, draft)
	if err != nil {
		return err
	}
	at := strings.ReplaceAll("."+q.path, `"`, "")
	for _, p := range problems {
		if strings.HasSuffix(p.Path, at) || strings.Contains(p.Path, at+".") {
			return errors.New(text.Clean(p.Code + " " + p.Message))
		}
	}
	return nil
}

func optionsOf(names []string) (options []huh.Option[string]) {
	for _, name := range names {
		options = append(options, huh.NewOption(text.Clean(name), name))
	}
	return options
}

// listOf writes names as a list, "" without one.
func listOf(names []string) string {
	if len(names) == 0 {
		return ""
	}
	b, _ := json.Marshal(names) // strings can be encoded
	return string(b)
}

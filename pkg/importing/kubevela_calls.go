package importing

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// calls reads steps that send something: a check where D-AROS asks by itself, else a job that runs curl, because a step of type notify
// has a body of its own form, which the receivers of KubeVela do not know.
type calls struct{}

var call calls

// The image of jobs that send something, and the number of its user.
const (
	curlImage = "docker.io/curlimages/curl:8.10.1"
	curlUser  = 100
)

// job adds a component that a step runs, and returns its scope. What the receiver answers is the output message of the step.
func (calls) job(t *translation, n *node, suffix string) *scope {
	c := t.component(strings.Trim(n.at("name").string()+"-"+suffix, "-"), "job")
	c.ofStep = true
	c.doc.set("properties.image", curlImage)
	c.doc.set("traits.security.user", int64(curlUser))
	s := t.scope(c)
	s.argue("--silent", "--show-error", "--fail-with-body", "--globoff", "--max-time", "60", "--output", "/dev/termination-log")
	t.note("jobs send what steps sent, with the image %s; policy has to allow it, and an exit to the receivers", curlImage)
	return s
}

// argue adds arguments. Those that Kubernetes puts variables into are in their braces already.
func (s *scope) argue(args ...string) {
	for _, a := range args {
		s.c.doc.add("properties.args", a)
	}
}

// literal is a text in which Kubernetes puts no variable.
func (calls) literal(text string) string { return strings.ReplaceAll(text, "$(", "$$(") }

// step runs the job of a scope.
func (calls) step(s *scope, name string) doc {
	return doc{"type": "job", "component": s.c.name, "name": given(name)}
}

// target gives a variable the address or the password that a field of KubeVela has: a value, or a reference to a Secret. A secret is left to a Secret.
func (calls) target(s *scope, name string, n *node, secret bool) {
	env := s.c.doc.sub("properties").sub("env")
	if from := n.at("secretRef"); !from.null() {
		secret, key := from.at("name").string(), from.at("key").string()
		if !objectPattern.MatchString(secret) || !keyPattern.MatchString(key) {
			secret, key = dnsName(secret), dnsName(key)
			s.note("%s: a Secret and its key cannot be called %q and %q; %s and %s are written", s.c.name, from.at("name").string(), from.at("key").string(), secret, key)
		}
		v, err := s.secret(secret, key)
		if err == nil {
			env[name] = v
			mark(kept, from.at("name"), from.at("key"))
			return
		}
		s.lose(from, err)
	}
	value := n.at("value")
	if value.null() {
		value = nil
	}
	if value.string() != "" && !secret && !holdsSecret(name, value.string()) {
		env[name] = s.reach(name, value.string())
		mark(kept, value)
		return
	}
	mark(withheld, value)
	env[name], _ = s.secret(s.app.name+"-"+s.c.name, name)
}

// body adds the data of a request as JSON. It refuses data that may be a secret.
func (calls) body(s *scope, n *node) error {
	open := true
	n.leaves(func(l *node) { open = open && !holdsSecret(l.name, l.string()) })
	data, err := json.Marshal(to.said(n))
	if err != nil || !open {
		return because("has a value that may be a secret", "a job of your own, with secret: existing")
	}
	s.argue("--header", "Content-Type: application/json", "--data-raw", call.literal(string(data)))
	mark(kept, n)
	return nil
}

// send adds a job that posts data to an address, and returns the step that runs it.
func (calls) send(t *translation, n, address, data *node, suffix string, secret bool) []doc {
	if data.null() || address.null() {
		t.lose(n, because("does not say what to send, or where to", ""))
		return nil
	}
	s := call.job(t, n, suffix)
	if err := call.body(s, data); err != nil {
		t.lose(data, err)
		t.drop(s.c)
		return nil
	}
	call.target(s, "URL", address, secret)
	s.argue("--proto", "=http,https", "--url", "$(URL)")
	return []doc{call.step(s, suffix)}
}

// post takes a step of type webhook.
func (calls) post(t *translation, n *node) []doc {
	data := n.at("properties.data")
	if data.null() {
		t.lose(n, because("sends the Application as the cluster has it", "workflow: steps with type notify"))
		return nil
	}
	steps := call.send(t, n, n.at("properties.url"), data, "", false)
	for _, step := range steps {
		call.outputs(t, n, step)
	}
	return steps
}

// chats are the receivers of notifications, whose addresses let everybody write who knows them.
var chats = []string{"dingding", "lark", "slack"}

// notify takes a step of type notification: a job for each receiver.
func (calls) notify(t *translation, n *node) (list []doc) {
	properties := n.at("properties")
	for _, chat := range chats {
		to := properties.at(chat)
		if to.null() {
			continue
		}
		if message := to.at("message"); chat == "dingding" && message != nil && message.at("msgtype") == nil {
			message.keys = append(message.keys, key{"msgtype", &node{up: message, name: "msgtype", text: "text", tag: "!!str", fate: ignored}}) // as KubeVela without a word
		}
		list = append(list, call.send(t, n, to.at("url"), to.at("message"), chat, true)...)
	}
	if mail := properties.at("email"); !mail.null() {
		list = append(list, call.mail(t, n, mail)...)
	}
	if len(list) == 1 {
		delete(list[0], "name")
	}
	return list
}

// mail adds a job that sends a letter, and returns the step that runs it.
func (calls) mail(t *translation, n, mail *node) []doc {
	from, content := mail.at("from"), mail.at("content")
	address, alias, host := from.at("address"), from.at("alias"), from.at("host")
	lines := append([]*node{address, alias, host, content.at("subject")}, mail.at("to").items()...)
	if slices.ContainsFunc(lines, func(l *node) bool { return strings.ContainsAny(l.string(), "\r\n\"") }) {
		t.lose(mail, because("has a line that is several, or quotes in it", ""))
		return nil
	}
	if address.string() == "" || host.string() == "" || len(mail.at("to").items()) == 0 {
		t.lose(mail, because("does not say from whom, by which host, or to whom", ""))
		return nil
	}
	s := call.job(t, n, "email")
	call.target(s, "PASSWORD", from.at("password"), true)
	scheme, port := "smtp", int64(587)
	if p, ok := from.at("port").number(); ok && p > 0 && p < 1<<16 {
		port = p
		mark(kept, from.at("port"))
	}
	if port == 465 {
		scheme = "smtps"
	}
	s.c.doc.sub("properties").sub("env")["SMTP_HOST"] = s.reach("SMTP_HOST", host.string())
	sender := call.literal(address.string())
	s.argue("--ssl-reqd", "--proto", "=smtp,smtps", "--url", fmt.Sprintf("%s://$(SMTP_HOST):%d", scheme, port),
		"--user", sender+":$(PASSWORD)", "--mail-from", sender)
	to := []string{}
	for _, r := range mail.at("to").items() {
		s.argue("--mail-rcpt", call.literal(r.string()))
		to = append(to, r.string())
	}
	writer := "<" + address.string() + ">"
	if alias.string() != "" {
		writer = `"` + alias.string() + `" ` + writer
	}
	s.argue("--header", "From: "+call.literal(writer), "--header", "To: "+call.literal(strings.Join(to, ", ")),
		"--header", "Subject: "+call.literal(content.at("subject").string()),
		"--form", `="`+call.literal(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(content.at("body").string()))+`";type=text/html`)
	mark(kept, address, alias, host, mail.at("to"), content)
	return []doc{call.step(s, "email")}
}

// request takes a step of type request: a check if it only asks, else a job.
func (calls) request(t *translation, n *node) []doc {
	properties := n.at("properties")
	address, method, body, header := properties.at("url"), properties.at("method"), properties.at("body"), properties.at("header")
	asks := method.null() || method.string() == "GET"
	if asks && body.null() && header.null() && askable(address.string()) {
		step := doc{"type": "check", "properties": doc{"url": address.string(), "success": "status <= 400"}}
		call.outside(t, address.string())
		mark(kept, address, method)
		return call.outputs(t, n, step)
	}
	if !asks && method.string() != "POST" && method.string() != "PUT" && method.string() != "DELETE" {
		t.lose(n, because("is no method", ""))
		return nil
	}
	s := call.job(t, n, "")
	if !body.null() {
		if err := call.body(s, body); err != nil {
			t.lose(n, err)
			t.drop(s.c)
			return nil
		}
	}
	call.target(s, "URL", &node{kind: mapping, keys: []key{{"value", address}}}, false)
	s.argue("--proto", "=http,https", "--url", "$(URL)")
	if !method.null() {
		s.argue("--request", method.string())
		mark(kept, method)
	}
	for i, k := range header.fields() {
		value := k.node.string()
		if !headerName.MatchString(k.name) || strings.ContainsAny(value, "\r\n") {
			t.lose(k.node, because("is no header", ""))
			continue
		}
		if name := strings.ToLower(k.name); name == "authorization" || name == "cookie" || holdsSecret(strings.ReplaceAll(k.name, "-", "_"), value) {
			call.target(s, fmt.Sprintf("HEADER_%d", i+1), &node{kind: mapping, keys: []key{{"value", k.node}}}, true)
			s.argue("--header", fmt.Sprintf("%s: $(HEADER_%d)", k.name, i+1))
			continue
		}
		s.argue("--header", k.name+": "+call.literal(value))
		mark(kept, k.node)
	}
	return call.outputs(t, n, call.step(s, ""))
}

package refrain

import (
	"errors"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Messages are written for people at a terminal, where a setting is a flag. What
// they tell a program is said in the words of the library: the same thing, by the
// name that it has here.

// flagWords is what flags are called here. A pattern may stand for a flag with its
// value; the first that fits counts.
var flagWords = []flagWord{
	says(`pass --here to work here all the same`, "run it here all the same"),
	says(`like --set (?<k>[\w.]+)=(?<v>\S+)`, `like Settings: {$k: $v}`),
	says(`--set (?<k>[\w.]+)= takes back`, `an empty $k in Settings takes back`),
	says(`--set`, "Settings"),
	says(`--accept-config`, "AcceptConfig"),
	says(`--untrusted`, "Untrusted"),
	says(`--trust agrees for one command`, "Trust agrees for one run"),
	says(`--trust runs it for one command`, "Trust runs it for one run"),
	says(`--trust`, "Trust"),
	says(`--until(?: DONE)?`, "Until"),
	says(`--plan(?: FILE)?`, "done.plan in Settings"),
	says(`--gate(?: COMMAND| '[^']*')?`, "Gates"),
	says(`(?:-n|--max-iterations)(?: \d+| N)?`, "MaxIterations"),
	says(`--unlimited`, "Unlimited"),
	says(`--max-time(?: 8h)?`, "loop.max_time in Settings"),
	says(`--max-cost(?: 20)?`, "budget.cost_usd in Settings"),
	says(`budget.tokens \(--max-tokens\)`, "budget.tokens"),
	says(`--max-tokens`, "budget.tokens in Settings"),
	says(`-p TEXT`, "Prompt"),
	says(`-F FILE`, "PromptFile"),
	says(`--var`, "Vars"),
	says(`(?:-a|--agent)`, "Agent"),
	says(`(?:-m|--model)`, "Model"),
	says(`--prompt-as`, "loop.prompt_as"),
	says(`--sandbox (?<v>\w+)`, `sandbox.mode = $v`),
	says(`--permissions (?<v>\w+)`, `permissions.mode = $v`),
	says(`--permissions`, "permissions.mode"),
	says(`a command after --`, "Command"),
	says(`pass -C`, "set Dir to"),
	says(`in there with -C`, "in there with Dir"),
	says(`with -C`, "as Dir"),
	says(`lists its iterations; /0 is the tree before the first`, "lists its iterations; 0 is the whole run"),
}

// whyWords are those in the cause of an end. An agent's own words may stand there, so
// only what nobody else says is put into those of the library.
var whyWords = []flagWord{
	says(`with --accept-config`, "with AcceptConfig"),
	says(`allow more with --permissions`, "allow more with permissions.mode"),
	says(`or name another agent \(-a, limits.fallback\)`, "or name another agent (Agent, limits.fallback)"),
	says(`name a model that it knows \(-m\)`, "name a model that it knows (Model)"),
}

// flagWord is one flag, and what it is called here.
type flagWord struct {
	flag text.Pattern
	word string
}

// says makes one of a pattern, which begins and ends where words do.
func says(flag, word string) flagWord {
	return flagWord{text.NewPattern(`(?<before>^|[\s(:;,])` + flag + `(?<after>$|[\s):;,.=])`), "${before}" + word + "${after}"}
}

// toPass is how a message asks for a flag, which here is a field.
var toPass = text.NewPattern(`\bpass ([A-Z])`)

// inGo is a message in the words of the library. What stands in quotes is a command
// to type, or what somebody has written, and stays.
func inGo(message string) string {
	if !strings.Contains(message, "-") {
		return message
	}
	parts := strings.Split(message, `"`)
	for i := 0; i < len(parts); i += 2 {
		for _, f := range flagWords {
			parts[i] = f.flag().ReplaceAllString(parts[i], f.word)
		}
		parts[i] = toPass().ReplaceAllString(parts[i], "set $1")
	}
	return strings.Join(parts, `"`)
}

// whyInGo is the cause of an end, likewise. Quotes say nothing in it: an agent may
// have left one open.
func whyInGo(why string) string {
	if !strings.Contains(why, "-") {
		return why
	}
	for _, f := range whyWords {
		why = f.flag().ReplaceAllString(why, f.word)
	}
	return why
}

// eventInGo is an event as a program is told it: the hint of a warning, and why a run
// ended or a claim was refused, in the words of the library. The journal keeps it as
// people are told.
func eventInGo(e Event) Event {
	switch p := e.Payload.(type) {
	case *loop.Warning:
		said := *p
		said.Hint = inGo(p.Hint)
		e.Payload = &said
	case *loop.ClaimRefused:
		said := *p
		said.Why = whyInGo(p.Why)
		e.Payload = &said
	case *loop.IterationFinished:
		said := *p
		said.Outcome.Person, said.Verdict.Why = whyInGo(p.Outcome.Person), whyInGo(p.Verdict.Why)
		e.Payload = &said
	case *loop.RunFinished:
		said := *p
		said.Why = whyInGo(p.Why)
		e.Payload = &said
	}
	return e
}

// bySet has a mistake in what Set says told by that name: to those who find it, Set
// and Settings are one.
func bySet(err error, set []Setting) error {
	u, ok := errors.AsType[*UsageError](err)
	if !ok {
		return err
	}
	settings, wrong := errors.AsType[*app.SettingsError](u.err)
	for _, s := range set {
		if rest, ours := strings.CutPrefix(u.What, "Settings: "); ours && wrong && settings.Problems[0].Key == s.key {
			u.What = "Set: " + rest
		}
		u.What = strings.Replace(u.What+" ", "Settings "+s.key+" ", "Set "+s.key+" ", 1)
		u.What = strings.TrimSuffix(u.What, " ")
	}
	return u
}

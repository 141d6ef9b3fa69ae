package app

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
)

// secrets hides what is secret for this run.
func (j *Job) secrets() *redact.Redactor { return secretsOf(j.Assignment) }

// secretsOf hides what nobody should read who reads of a run: keys in our own
// environment, those that agents are given by settings or commands, and how people are told.
// By its promise an agent is heard, so that is never hidden.
func secretsOf(a request.Assignment) *redact.Redactor {
	list := redact.Variables(os.Environ(), isPath)
	for _, one := range a.Config().Agents { // several may have a key of the same name
		list = append(list, redact.Given(one.Env, isPath)...)
	}
	_, keys := agent.Apart(os.Environ(), nil) // whatever their names look like
	paying := map[string]string{}
	for _, kv := range keys {
		name, value, _ := strings.Cut(kv, "=")
		paying[name] = value
	}
	list = append(list, redact.Settings(paying)...)
	for _, c := range commandLines(a) {
		list = append(list, redact.Settings(c.Secrets())...)
	}
	list = append(list, redact.Settings(a.Settings.Secrets())...)
	return redact.New(list, a.Config().Done.Promise, a.Config().Done.FailurePromise)
}

// Secrets hides what is secret for who looks at runs in a folder: what its settings
// and our environment hold now. Where the settings cannot be read it is the
// environment alone.
func Secrets(dir string) *redact.Redactor {
	a, err := request.In(dir, request.Request{})
	if err != nil {
		return redact.New(redact.Variables(os.Environ(), isPath))
	}
	return secretsOf(a)
}

// SecretsOf hides what is secret for a run that is to be handed to somebody else.
func SecretsOf(a request.Assignment) *redact.Redactor { return secretsOf(a) }

// commandLines are the commands of a run in which somebody may have written a key.
func commandLines(a request.Assignment) []setting.Command {
	list := []setting.Command{{Argv: a.Request.Command}}
	for _, one := range a.Config().Agents {
		list = append(list, one.Command)
	}
	for _, g := range a.Config().Gates {
		list = append(list, setting.Command{Line: g.Run})
	}
	return list
}

// isPath tells whether a value leads to a file, or to where one may be: a key may
// begin with a slash as well.
func isPath(value string) bool {
	first, _, _ := strings.Cut(value, string(filepath.ListSeparator))
	if rest, ok := strings.CutPrefix(first, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return true
		}
		first = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(first) {
		return strings.HasPrefix(first, "./") || strings.HasPrefix(first, "../")
	}
	if _, err := os.Lstat(first); err == nil {
		return true
	}
	dir := filepath.Dir(first)
	_, err := os.Lstat(dir)
	return err == nil && dir != filepath.Dir(dir)
}

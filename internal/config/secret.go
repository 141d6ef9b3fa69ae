package config

import (
	"maps"
	"regexp"
	"slices"
)

// Mask stands for what is not shown.
const Mask = "***"

const secretName = `(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)`

var (
	// --api-key, the value of which is the next word
	secretFlag = regexp.MustCompile(`(?i)^--?[\w.-]*` + secretName + `$`)
	// --token=value, API_KEY=value, Authorization: value
	secretWord = regexp.MustCompile(`(?i)^([\w.-]*` + secretName + `)([=:]\s*)(.+)$`)
	// all of these, in a line that is not split yet
	secretInLine = regexp.MustCompile(nameInLine + `("[^"]*"?|'[^']*'?|(?:(?:bearer|basic)\s+)?[^\s"']+)`)
	// the same for a shell: what it would run or fill in is no secret, and must
	// be seen when it changes
	secretInShell = regexp.MustCompile(nameInLine + "(\"[^\"$`]*\"|'[^']*'|(?:(?:bearer|basic)\\s+)?[^\\s\"'$`;&|()<>]+)")
)

const nameInLine = `(?i)((?:^|[\s"'])(?:--?[\w.-]*` + secretName + `\s+|[\w.-]*` + secretName + `[=:]\s*))`

// MaskArgs hides the values of arguments whose names look like secrets.
func MaskArgs(argv []string) []string { return Command{Argv: argv}.masked(secretInLine).Argv }

// masked renders a value without what is secret in it.
func (r row) masked(value any) string {
	if r.secret && value != "" { // an empty one hides nothing
		return render(Mask)
	}
	if f, ok := value.(fields); ok {
		return f.masked()
	}
	if c, ok := r.command(value); ok {
		return render(c.masked(r.kind.secrets()))
	}
	return render(value)
}

// secrets is how to find the secrets in a command that is one line.
func (k *kind) secrets() *regexp.Regexp {
	if k == command {
		return secretInLine // never seen by a shell
	}
	return secretInShell
}

// command is a value of the row as a command, if it is one.
func (r row) command(value any) (Command, bool) {
	if s, ok := value.(string); ok && r.kind == line {
		return Command{Line: s}, true
	}
	c, ok := value.(Command)
	return c, ok
}

// masked renders what differs from the defaults. The name stands in the key.
func (f fields) masked() string {
	shown := map[string]string{}
	for key, e := range f {
		if key != "name" && render(e.value) != render(e.row.builtin) {
			shown[key] = e.row.masked(e.value)
		}
	}
	return inlineTable(shown)
}

// masked hides the values of arguments whose names look like secrets.
func (c Command) masked(inLine *regexp.Regexp) Command {
	if c.Argv == nil {
		return Command{Line: inLine.ReplaceAllString(c.Line, "${1}"+Mask)}
	}
	argv := make([]string, len(c.Argv))
	for i, arg := range c.Argv {
		argv[i] = secretWord.ReplaceAllString(arg, "${1}${2}"+Mask)
		if i > 0 && secretFlag.MatchString(c.Argv[i-1]) {
			argv[i] = Mask
		}
	}
	return Command{Argv: argv}
}

// lost tells whether a value was masked, so that it is there no more.
func (r row) lost(value any) bool {
	if r.secret {
		return value == Mask
	}
	if f, ok := value.(fields); ok {
		return slices.ContainsFunc(slices.Collect(maps.Values(f)), func(e entry) bool { return e.row.lost(e.value) })
	}
	c, ok := r.command(value)
	if !ok {
		return false
	}
	for _, m := range r.kind.secrets().FindAllStringSubmatch(c.Line, -1) {
		if m[2] == Mask {
			return true
		}
	}
	for i, arg := range c.Argv {
		word := secretWord.FindStringSubmatch(arg)
		if word != nil && word[3] == Mask || i > 0 && arg == Mask && secretFlag.MatchString(c.Argv[i-1]) {
			return true
		}
	}
	return false
}

package setting

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// pattern is a regular expression that is made when it is first needed, as package
// text has them, which stands outside of this one.
type pattern func() *regexp.Regexp

func later(expression string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// Mask stands for what is not shown.
const Mask = "***"

const secretName = `(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)`

var (
	// --api-key, the value of which is the next word
	secretFlag = later(`(?i)^--?[\w.-]*` + secretName + `$`)
	// --token=value, API_KEY=value, Authorization: value
	secretWord = later(`(?i)^([\w.-]*` + secretName + `)([=:]\s*)(.+)$`)
	// all of these, in a line that is not split yet
	secretInLine = later(nameInLine + `("[^"]*"?|'[^']*'?|(?:(?:bearer|basic)\s+)?[^\s"']+)`)
	// the same for a shell: what it would run or fill in is no secret, and must
	// be seen when it changes
	secretInShell = later(nameInLine + "(\"[^\"$`]*\"|'[^']*'|(?:(?:bearer|basic)\\s+)?[^\\s\"'$`;&|()<>]+)")
)

const nameInLine = `(?i)((?:^|[\s"'])(?:--?[\w.-]*` + secretName + `\s+|[\w.-]*` + secretName + `[=:]\s*))`

// In the name of a variable, of a setting, or of a field of JSON: what a name has
// in it, and what it ends with.
var (
	secretParts = []string{"TOKEN", "SECRET", "PASSW", "PASSPHRASE", "CREDENTIAL", "AUTHORIZATION", "APIKEY", "PRIVATEKEY", "ACCESSKEY", "WEBHOOK"}
	secretEnds  = []string{"_KEY", "_PASS", "_PWD", "_PAT", "_AUTH"}
)

// SecretName tells whether a name looks as if its value were secret.
func SecretName(name string) bool {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(name))
	for _, part := range secretParts {
		if strings.Contains(name, part) || strings.Contains(strings.ReplaceAll(name, "_", ""), part) {
			return true
		}
	}
	for _, end := range secretEnds {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// secretItself is how names end whose value is a secret, not where one is kept.
var secretItself = []string{"TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "_PASS", "_PWD", "_PAT", "APIKEY", "SECRETKEY", "ACCESSKEY", "PRIVATEKEY", "CREDENTIAL", "CREDENTIALS"}

// HoldsSecret tells whether a name says that its value itself is secret.
func HoldsSecret(name string) bool {
	name = strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToUpper(name))
	for _, end := range secretItself {
		if strings.HasSuffix(name, end) || strings.HasSuffix(strings.ReplaceAll(name, "_", ""), end) {
			return true
		}
	}
	return false
}

// MaskArgs hides the values of arguments whose names look like secrets.
func MaskArgs(argv []string) []string { return Command{Argv: argv}.masked(secretInLine).Argv }

// MaskLine does the same in a line for the shell.
func MaskLine(line string) string { return Command{Line: line}.masked(secretInShell).Line }

// Masked is the command as it may be shown.
func (c Command) Masked() Command { return c.masked(secretInLine) }

// Secrets are the values that are hidden when the command is shown, by the names
// that they have there.
func (c Command) Secrets() map[string]string {
	values := map[string]string{}
	for _, m := range secretInShell().FindAllStringSubmatch(c.Line, -1) {
		values[nameOf(m[1])] = strings.Trim(m[2], `"'`)
	}
	for i, arg := range c.Argv {
		if word := secretWord().FindStringSubmatch(arg); word != nil {
			values[nameOf(word[1])] = word[3]
		}
		if i > 0 && secretFlag().MatchString(c.Argv[i-1]) {
			values[nameOf(c.Argv[i-1])] = arg
		}
	}
	return values
}

// nameOf is a flag, a variable or a header without what stands around its name.
func nameOf(word string) string { return strings.Trim(word, "\"' \t\n=:-") }

// Masked renders a value without what is secret in it.
func (r Row) Masked(value any) string {
	if r.Secret && value != "" { // an empty one hides nothing
		return Render(Mask)
	}
	if c, ok := r.command(value); ok {
		return Render(c.masked(r.Kind.secrets))
	}
	return Render(value)
}

// command is a value of the row as a command, if it is one.
func (r Row) command(value any) (Command, bool) {
	if s, ok := value.(string); ok && r.Kind == Line {
		return Command{Line: s}, true
	}
	c, ok := value.(Command)
	return c, ok
}

// masked hides the values of arguments whose names look like secrets.
func (c Command) masked(inLine pattern) Command {
	if c.Argv == nil {
		return Command{Line: inLine().ReplaceAllString(c.Line, "${1}"+Mask)}
	}
	argv := make([]string, len(c.Argv))
	for i, arg := range c.Argv {
		argv[i] = secretWord().ReplaceAllString(arg, "${1}${2}"+Mask)
		if i > 0 && secretFlag().MatchString(c.Argv[i-1]) {
			argv[i] = Mask
		}
	}
	return Command{Argv: argv}
}

// Lost tells whether a value was masked, so that it is there no more.
func (r Row) Lost(value any) bool {
	if r.Secret {
		return value == Mask
	}
	c, ok := r.command(value)
	return ok && c.lost(r.Kind.secrets)
}

// maskedWord is a mask that is a value of its own: of a name or a flag, or the password
// of an address. A sentence may have three stars in it.
var maskedWord = later(`[=:]\s*["']?\*\*\*|(?:^|[\s"'])-\S+\s+["']?\*\*\*|\*\*\*@`)

// Lost tells whether something was masked in the command, be it inside an argument, so
// that it is there no more.
func (c Command) Lost() bool {
	return c.lost(secretInLine) || slices.Contains(c.Argv, Mask) || slices.Contains(strings.Fields(c.Line), Mask) ||
		slices.ContainsFunc(c.Texts(), maskedWord().MatchString)
}

func (c Command) lost(inLine pattern) bool {
	for _, m := range inLine().FindAllStringSubmatch(c.Line, -1) {
		if m[2] == Mask {
			return true
		}
	}
	for i, arg := range c.Argv {
		word := secretWord().FindStringSubmatch(arg)
		if word != nil && word[3] == Mask || i > 0 && arg == Mask && secretFlag().MatchString(c.Argv[i-1]) {
			return true
		}
	}
	return false
}

package config

import "regexp"

// Mask stands for what is not shown.
const Mask = "***"

const secretName = `(?:key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)`

var (
	// --api-key, the value of which is the next word
	secretFlag = regexp.MustCompile(`(?i)^--?[\w.-]*` + secretName + `$`)
	// --token=value, API_KEY=value, Authorization: value
	secretWord = regexp.MustCompile(`(?i)^([\w.-]*` + secretName + `)([=:]\s*)(.+)$`)
	// all of these, in a line that is not split yet
	secretInLine = regexp.MustCompile(`(?i)((?:^|[\s"'])(?:--?[\w.-]*` + secretName + `\s+|[\w.-]*` + secretName + `[=:]\s*))("[^"]*"?|'[^']*'?|(?:(?:bearer|basic)\s+)?[^\s"']+)`)
)

// MaskArgs hides the values of arguments whose names look like secrets.
func MaskArgs(argv []string) []string { return Command{Argv: argv}.masked().Argv }

// masked renders a value without what is secret in it.
func (r row) masked(value any) string {
	if r.secret {
		return render(Mask)
	}
	if c, ok := value.(Command); ok {
		return render(c.masked())
	}
	return render(value)
}

// masked hides the values of arguments whose names look like secrets.
func (c Command) masked() Command {
	if c.Argv == nil {
		return Command{Line: secretInLine.ReplaceAllString(c.Line, "${1}"+Mask)}
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
	c, ok := value.(Command)
	if !ok {
		return false
	}
	for _, m := range secretInLine.FindAllStringSubmatch(c.Line, -1) {
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

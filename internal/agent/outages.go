package agent

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// faintWords speak of a connection that failed, and of much else: of a setting, of a
// path, of a tool that took too long. They count as words only, and on no line about
// such things.
var faintWords = []string{"timed out", "timeout", "time-out", "network", "eof", "terminated", "unreachable", "transport error", "failed to fetch", "could not connect to", "lost connection"}

// ownWords stand on lines about the program itself, its settings and its tools. It will
// fail in the same way the next time.
var ownWords = []string{
	"panicked", "unreachable code", "argument", "unknown option", "unrecognized option", "unknown field", "config", "parse", "parsing", "json", "syntax",
	"no such file", "cannot find module", "hook", "tool", "mcp", "command", "exit code", "by the user", "by signal",
}

// outageIn tells whether a text in lower case speaks of the network, if faintly.
func outageIn(text string) loop.ErrorKind {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if slices.ContainsFunc(faintWords, func(word string) bool { return hasWord(line, word) }) &&
			!slices.ContainsFunc(ownWords, func(word string) bool { return strings.Contains(line, word) }) {
			return loop.ErrNetwork
		}
	}
	return ""
}

// hasWord tells whether a word stands in a line, and not as a part of a name, a path or
// an option.
func hasWord(line, word string) bool {
	for at := strings.Index(line, word); at >= 0; {
		before, after := line[:at], line[at+len(word):]
		if !endsInName(before) && !beginsWithName(after) {
			return true
		}
		next := strings.Index(after, word)
		if next < 0 {
			return false
		}
		at += len(word) + next
	}
	return false
}

const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789_-/\\`'\"="

func endsInName(text string) bool {
	return text != "" && (strings.IndexByte(nameLetters, text[len(text)-1]) >= 0 || text[len(text)-1] == '.')
}

func beginsWithName(text string) bool {
	return text != "" && strings.IndexByte(nameLetters, text[0]) >= 0
}

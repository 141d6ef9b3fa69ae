package preflight

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Programs is the names of the programs that a line for the shell starts, as far
// as they can be told without running it: the first word of each simple command.
// What the shell has itself, paths, and words that it makes are left out, and so is a
// program for which the line has another way. Behind a file that the shell reads,
// such as .venv/bin/activate, and of a line that is a small script nothing is told.
func Programs(line string) []string {
	commands, ok := simple(line)
	if !ok {
		return nil
	}
	var list []string
	for i, words := range commands {
		for len(words) > 0 && (assignment().MatchString(words[0]) || slices.Contains(before, words[0])) {
			words = words[1:]
		}
		if len(words) > 0 && (words[0] == "." || words[0] == "source") {
			break
		}
		if len(words) == 0 || hasAnother(commands[i+1:]) || !plain().MatchString(words[0]) || slices.Contains(builtins, words[0]) || slices.Contains(list, words[0]) {
			continue
		}
		list = append(list, words[0])
	}
	return list
}

// or stands between two commands of which the second is the other way.
const or = "||"

// hasAnother tells whether what follows a command is run instead of it, and can go
// well.
func hasAnother(next [][]string) bool {
	return len(next) > 1 && slices.Equal(next[0], []string{or}) && len(next[1]) > 0 && !slices.Contains([]string{"exit", "false", "return"}, next[1][0])
}

var (
	assignment = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*=`)
	plain      = text.NewPattern(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`)
	// tricky is what makes a line more than a list of commands.
	tricky = text.NewPattern("`|\\$\\(|<<|\\(\\)|\\\\|#|(^|[\\s;&|])(case|for|function|alias|hash|trap|eval|command|type|which|PATH=\\S*)(\\s|$)")
)

// before is words that stand before a command and change nothing of it.
var before = []string{"!", "(", "{", "if", "then", "else", "elif", "while", "until", "do", "time", "exec"}

// builtins is what every shell has, and words that end what others began.
var builtins = []string{
	".", ":", "[", "break", "cd", "continue", "done", "echo", "esac", "exit", "export", "false", "fi", "getopts", "kill", "printf", "pwd", "read", "readonly",
	"return", "set", "shift", "source", "test", "times", "true", "ulimit", "umask", "unset", "wait",
}

// simple cuts a line into its simple commands, each into its words. It is not ok
// for a line that is more than that.
func simple(line string) (commands [][]string, ok bool) {
	if tricky().MatchString(line) {
		return nil, false
	}
	var words []string
	var word strings.Builder
	inWord, quote, last := false, rune(0), rune(0)
	endWord := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == '&' && (last == '>' || last == '<'): // a stream, as in 2>&1
			word.WriteRune(r)
		case r == '|' && last == '|':
			commands = append(commands, []string{or})
			r = 0 // a third one is no second
		case strings.ContainsRune(";&|\n", r):
			endWord()
			commands, words = append(commands, words), nil
		case strings.ContainsRune("()", r):
			endWord()
			words = append(words, string(r))
		case r == ' ' || r == '\t':
			endWord()
		default:
			word.WriteRune(r)
			inWord = true
		}
		last = r
	}
	endWord()
	return append(commands, words), quote == 0
}

package text

import (
	"errors"
	"strings"
)

// SplitArgs cuts a command line into arguments as a POSIX shell would, without a
// shell: quotes and backslashes mean what they mean there, and nothing is
// expanded, so "$HOME", "*" and "|" are plain text.
func SplitArgs(line string) ([]string, error) {
	var args []string
	var word []byte
	inWord := false // an empty pair of quotes is a word too
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch c {
		case ' ', '\t', '\n', '\r':
			if inWord {
				args = append(args, string(word))
			}
			word, inWord = nil, false
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, errors.New("split command: a single quote is not closed")
			}
			word, inWord = append(word, line[i+1:i+1+end]...), true
			i += 1 + end
		case '"':
			text, n, ok := doubleQuoted(line[i+1:])
			if !ok {
				return nil, errors.New("split command: a double quote is not closed")
			}
			word, inWord = append(word, text...), true
			i += n
		case '\\':
			i++
			if i == len(line) {
				return nil, errors.New("split command: it ends in a backslash")
			}
			if line[i] != '\n' { // else the line goes on below
				word, inWord = append(word, line[i]), true
			}
		default:
			word, inWord = append(word, c), true
		}
	}
	if inWord {
		args = append(args, string(word))
	}
	return args, nil
}

// doubleQuoted reads up to the closing quote, and how many bytes that took.
func doubleQuoted(s string) (text []byte, n int, ok bool) {
	for n < len(s) {
		c := s[n]
		n++
		switch {
		case c == '"':
			return text, n, true
		case c == '\\' && n < len(s) && strings.IndexByte("\"\\$`\n", s[n]) >= 0:
			if s[n] != '\n' {
				text = append(text, s[n])
			}
			n++
		default:
			text = append(text, c)
		}
	}
	return nil, n, false
}

// JoinArgs writes arguments as one command line that a person can paste into a
// shell, and that Split cuts into the same arguments.
func JoinArgs(args []string) string {
	quoted := make([]string, len(args))
	for i, arg := range args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

func quote(arg string) string {
	if arg != "" && strings.IndexFunc(arg, special) < 0 {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// special tells whether a shell might read more into r than itself.
func special(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return false
	}
	return !strings.ContainsRune("@%+=:,./_-", r)
}

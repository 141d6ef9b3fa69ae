package tests

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const escape = '\x1b'

// plain is a line as a person sees it: without colours, links and other terminal
// sequences, and in proper UTF-8.
func plain(line []byte) string {
	if bytes.IndexByte(line, escape) < 0 {
		return valid(line)
	}
	var text []byte
	for {
		start := bytes.IndexByte(line, escape)
		if start < 0 {
			break
		}
		text = append(text, line[:start]...)
		line = line[start:]
		line = line[sequence(line):]
	}
	return valid(append(text, line...))
}

func valid(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// sequence is the length of the terminal sequence that s begins with. One that
// does not end takes the rest of the line.
func sequence(s []byte) int {
	if len(s) < 2 {
		return len(s)
	}
	switch s[1] {
	case '[': // a colour or a movement: parameters, then one final character
		for i := 2; i < len(s); i++ {
			if s[i] >= '@' && s[i] <= '~' {
				return i + 1
			}
		}
		return len(s)
	case ']', 'P', 'X', '^', '_': // a string, such as a link: up to BEL or ESC \
		for i := 2; i < len(s); i++ {
			if s[i] == '\a' {
				return i + 1
			}
			if s[i] == escape && i+1 < len(s) && s[i+1] == '\\' {
				return i + 2
			}
		}
		return len(s)
	case '(', ')', '*', '+', '#', '%', ' ': // a character set: one more character
		return min(3, len(s))
	}
	return 2
}

package text

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence begins a text with a capital.
func Sentence(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[size:]
}

// Within puts a sentence's beginning inside another.
func Within(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	if size == 0 {
		return s
	}
	return string(unicode.ToLower(r)) + s[size:]
}

// Words turns a name of the journal into words.
func Words(name string) string { return Line(strings.ReplaceAll(name, "_", " ")) }

// Path is a file's name as it is, or quoted where it would not show as it is.
func Path(name string) string {
	if Line(name) == name {
		return name
	}
	return strconv.Quote(name)
}

package text

import "strings"

// Indent counts the columns of white space before a text that begins at a column,
// tab stops being four apart. It gives the column where other characters begin,
// and these.
func Indent(s string, from int) (column int, rest string) {
	for i := range len(s) {
		switch s[i] {
		case ' ':
			from++
		case '\t':
			from += 4 - from%4
		default:
			return from, s[i:]
		}
	}
	return from, ""
}

// Fence reads a code fence at the start of a text: its character, its length and
// what follows. The character is 0 when there is none.
func Fence(s string) (mark byte, length int, info string) {
	if !strings.HasPrefix(s, "```") && !strings.HasPrefix(s, "~~~") {
		return 0, 0, ""
	}
	rest := strings.TrimLeft(s, s[:1])
	return s[0], len(s) - len(rest), strings.TrimSpace(rest)
}

// OpensFence tells whether a fence that was read begins a block of code. Else it
// is code within a line.
func OpensFence(mark byte, info string) bool {
	return mark == '~' || mark == '`' && !strings.Contains(info, "`")
}

// unsaid is what a model puts around text that it does not say to anybody: its
// thoughts, comments, text as it stands.
var unsaid = []struct{ open, end string }{
	{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"<!--", "-->"}, {"<pre>", "</pre>"}, {"<example>", "</example>"},
}

// Unsaid follows such blocks, line by line. What is never closed goes on to the
// end.
type Unsaid struct {
	until string // what ends the block that is open; empty when none is
}

// Has tells whether a line belongs to such a block. Those that open and close do.
func (u *Unsaid) Has(line string) bool {
	if u.until != "" {
		if strings.Contains(line, u.until) {
			u.until = ""
		}
		return true
	}
	if strings.IndexByte(line, '<') < 0 { // each opens with one
		return false
	}
	line = strings.TrimSpace(line)
	for _, b := range unsaid {
		if rest, ok := strings.CutPrefix(line, b.open); ok {
			if !strings.Contains(rest, b.end) {
				u.until = b.end
			}
			return true
		}
	}
	return false
}

// Open tells whether the block goes on after the last line.
func (u *Unsaid) Open() bool { return u.until != "" }

package text

import (
	"strconv"
	"strings"
)

// Span is some lines of a file, as the head of a hunk names them.
type Span struct{ From, Lines int }

// HunkHead reads the head of a hunk of a diff, such as "@@ -1,2 +1,3 @@ func main".
func HunkHead(line string) (before, after Span, ok bool) {
	line, ok = strings.CutPrefix(line, "@@ -")
	if !ok {
		return Span{}, Span{}, false
	}
	old, rest, ok := strings.Cut(line, " +")
	fresh, _, closed := strings.Cut(rest, " @@")
	if !ok || !closed {
		return Span{}, Span{}, false
	}
	before, isOld := side(old)
	after, isNew := side(fresh)
	if !isOld || !isNew {
		return Span{}, Span{}, false
	}
	return before, after, true
}

// side reads one side of a head. Without a number of lines it is one.
func side(s string) (Span, bool) {
	from, lines, several := strings.Cut(s, ",")
	if !several {
		lines = "1"
	}
	start, err := strconv.ParseUint(from, 10, 31)
	if err != nil {
		return Span{}, false
	}
	n, err := strconv.ParseUint(lines, 10, 31)
	return Span{int(start), int(n)}, err == nil
}

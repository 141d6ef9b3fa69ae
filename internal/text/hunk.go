package text

import (
	"iter"
	"strconv"
	"strings"
)

// Hunk is the head of a hunk of a diff, such as "@@ -1,2 +1,3 @@ func main".
type Hunk struct {
	Before, After Span
	Section       string // what stands behind it
}

// Span is some lines of a file.
type Span struct{ From, Lines int }

// HunkHead reads the head of a hunk.
func HunkHead(line string) (head Hunk, ok bool) {
	line, ok = strings.CutPrefix(line, "@@ -")
	if !ok {
		return Hunk{}, false
	}
	old, rest, ok := strings.Cut(line, " +")
	fresh, section, closed := strings.Cut(rest, " @@")
	if !ok || !closed {
		return Hunk{}, false
	}
	before, isOld := side(old)
	after, isNew := side(fresh)
	if !isOld || !isNew {
		return Hunk{}, false
	}
	return Hunk{before, after, strings.TrimPrefix(section, " ")}, true
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

// DiffLines gives the lines of a diff, and whether each is in a hunk: a line that went may
// look like the head of a file.
func DiffLines(lines []string) iter.Seq2[string, bool] {
	return func(yield func(string, bool) bool) {
		in := false
		for _, l := range lines {
			if strings.HasPrefix(l, "diff --git") {
				in = false
			}
			if !yield(l, in) {
				return
			}
			in = in || strings.HasPrefix(l, "@@")
		}
	}
}

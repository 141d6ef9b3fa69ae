package cli

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

// diffScreen writes a diff to a terminal. What stands in files is cleaned line
// by line, so that none of it moves the cursor, speaks to the terminal or passes
// for another line. The colours are those of git, and ours: git's own could not
// be told from those that a file brings along.
type diffScreen struct {
	to    io.Writer
	color bool

	before, after int    // lines that the hunk still has of each side
	rest          []byte // of a line that is not complete
	inside        bool   // the rest is the middle of a line
	paint         string // of that line
}

// longestPiece is how much of a line is held back until its end is seen.
const longestPiece = 64 << 10

// The colours, as git has them.
const (
	diffMeta  = "\x1b[1m"
	diffHunk  = "\x1b[36m"
	diffOld   = "\x1b[31m"
	diffNew   = "\x1b[32m"
	diffPlain = "\x1b[m"
)

func (d *diffScreen) Write(p []byte) (int, error) {
	var out bytes.Buffer
	text := append(d.rest, p...)
	for {
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			break
		}
		d.line(&out, text[:end])
		out.WriteByte('\n')
		d.inside, text = false, text[end+1:]
	}
	if len(text) > longestPiece {
		cut := wholeRunes(text)
		d.line(&out, text[:cut])
		d.inside, text = true, text[cut:]
	}
	d.rest = bytes.Clone(text)
	if _, err := d.to.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes a last line that has no end.
func (d *diffScreen) Close() error {
	var out bytes.Buffer
	if len(d.rest) > 0 {
		d.line(&out, d.rest)
	}
	d.rest = nil
	_, err := d.to.Write(out.Bytes())
	return err
}

// wholeRunes is where a text can be cut without cutting a character or the end
// of a line.
func wholeRunes(text []byte) int {
	cut := len(text)
	for range utf8.UTFMax {
		if utf8.RuneStart(text[cut-1]) {
			break
		}
		cut--
	}
	return cut - 1
}

var (
	hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@`)
	statBar  = regexp.MustCompile(`^(.* \| +\d+ )(\+*)(-*)$`)
)

// line writes a line, or the next piece of one.
func (d *diffScreen) line(out *bytes.Buffer, raw []byte) {
	if d.inside {
		d.put(out, d.paint, shownLine(string(raw)))
		return
	}
	text := string(raw)
	inHunk := d.before > 0 || d.after > 0
	switch {
	case inHunk && strings.HasPrefix(text, "+"):
		d.after--
		d.paint, text = diffNew, shownLine(text)
	case inHunk && strings.HasPrefix(text, "-"):
		d.before--
		d.paint, text = diffOld, shownLine(text)
	case inHunk && !strings.HasPrefix(text, `\`):
		d.before--
		d.after--
		d.paint, text = "", shownLine(strings.TrimSuffix(text, "\r"))
	case strings.HasPrefix(text, `\`):
		d.paint, text = "", shownLine(text)
	case hunkHead.MatchString(text):
		d.hunk(out, text)
		return
	case statBar.MatchString(text):
		m := statBar.FindStringSubmatch(text)
		d.put(out, "", shownLine(m[1]))
		d.put(out, diffNew, m[2])
		d.put(out, diffOld, m[3])
		return
	case strings.HasPrefix(text, " "): // the last line of --stat
		d.paint, text = "", shownLine(text)
	default:
		d.paint, text = diffMeta, shownLine(text)
	}
	d.put(out, d.paint, text)
}

// hunk begins a hunk: what its head says is how many lines are the files'.
func (d *diffScreen) hunk(out *bytes.Buffer, text string) {
	m := hunkHead.FindStringSubmatch(text)
	d.before, d.after, d.paint = lineCount(m[1]), lineCount(m[2]), ""
	d.put(out, diffHunk, m[0])
	d.put(out, "", shownLine(strings.TrimSuffix(text[len(m[0]):], "\r")))
}

// lineCount is a number of a hunk's head, where none is 1.
func lineCount(text string) int {
	n := 1
	_, _ = fmt.Sscanf(text, "%d", &n)
	return n
}

func (d *diffScreen) put(out *bytes.Buffer, paint, text string) {
	if !d.color || paint == "" || text == "" {
		out.WriteString(text)
		return
	}
	out.WriteString(paint + text + diffPlain)
}

// withinLine keeps what ends a line elsewhere from ending one here: what follows
// it would stand where git puts its own signs.
var withinLine = strings.NewReplacer("\r", "^M", "\u2028", " ", "\u2029", " ")

// shownLine is a line as a terminal may have it. Tabs stay.
func shownLine(line string) string {
	parts := strings.Split(line, "\t")
	for i, part := range parts {
		parts[i] = text.Clean(withinLine.Replace(part))
	}
	return strings.Join(parts, "\t")
}

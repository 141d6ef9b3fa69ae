package patch

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/markup"
	"github.com/refrain-loop/refrain/internal/text"
)

// Diff is what changed between two trees.
type Diff struct {
	From       string `json:"from"`
	To         string `json:"to"`
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
	TotalFiles int    `json:"total_files"`
	CutFiles   int    `json:"cut_files"`
	Cut        bool   `json:"cut,omitempty"` // there is more, which was not even read
	Files      []File `json:"files"`
}

// File is what changed in one file.
type File struct {
	Path       string `json:"path"`
	OldPath    string `json:"old_path,omitempty"`
	Status     string `json:"status"`
	Similarity int    `json:"similarity,omitempty"`
	Binary     bool   `json:"binary,omitempty"`
	Added      int    `json:"added"`
	Removed    int    `json:"removed"`
	Language   string `json:"language,omitempty"`
	Mode       string `json:"mode,omitempty"`
	OldMode    string `json:"old_mode,omitempty"`
	CutLines   int    `json:"cut_lines"`
	Hunks      []Hunk `json:"hunks"`
}

// Hunk is lines that stand together.
type Hunk struct {
	OldStart int    `json:"old_start"`
	OldLines int    `json:"old_lines"`
	NewStart int    `json:"new_start"`
	NewLines int    `json:"new_lines"`
	Section  string `json:"section,omitempty"`
	Lines    []Line `json:"lines"`
}

// Line is one line; old and new are its numbers, where it has them.
type Line struct {
	Op   string `json:"op"`
	Old  int    `json:"old,omitempty"`
	New  int    `json:"new,omitempty"`
	HTML string `json:"html"`

	text string
}

// ErrTooMuch says that the rest was not read. What was read is good.
var ErrTooMuch = errors.New("that is more than a page can show")

// What is read at most.
const (
	maxBytes = 16 << 20
	maxLine  = 4 << 10
	maxFiles = 1000
)

// Read reads what git prints: of each file at most so many lines, and of all together.
// What is left out is counted. Every line gets its colours.
func Read(r io.Reader, perFile, total int) (Diff, error) {
	d := differ{perFile: perFile, total: total, out: Diff{Files: []File{}}}
	err := d.read(r)
	d.paint()
	d.out.Cut = errors.Is(err, ErrTooMuch)
	return d.out, err
}

// differ reads what git prints.
type differ struct {
	perFile, total int
	out            Diff

	file          *File
	hunk          *Hunk
	before, after int // lines that the hunk still has of each side
	old, new      int // the numbers of the next ones
	inFile        int // lines of this file that are kept
	kept          int
	bytes         int
}

func (d *differ) read(r io.Reader) error {
	lines := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if d.bytes += len(line); d.bytes > maxBytes {
				d.end()
				return ErrTooMuch
			}
			d.line(string(bytes.TrimSuffix(line, []byte("\n"))))
		}
		if errors.Is(err, io.EOF) {
			d.end()
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// line takes the next line. Inside of a hunk its head says which are the file's.
func (d *differ) line(s string) {
	switch {
	case d.hunk != nil && (d.before > 0 || d.after > 0) && s != "" && s[0] != '\\':
		d.content(s)
	case strings.HasPrefix(s, `\`) && d.hunk != nil:
		d.add(Line{Op: `\`, text: strings.TrimPrefix(s, `\ `)})
	case strings.HasPrefix(s, "diff --git "):
		d.end()
		d.file = &File{Status: "modified", Hunks: []Hunk{}, Path: pathOfHead(s)}
		d.inFile, d.hunk = 0, nil
	case d.file == nil:
	default:
		if head, ok := text.HunkHead(s); ok {
			d.begin(head)
			return
		}
		d.head(s)
	}
}

// head takes a line between the name of a file and its first hunk.
func (d *differ) head(s string) {
	f := d.file
	name, value, _ := strings.Cut(s, " ")
	switch {
	case strings.HasPrefix(s, "new file mode "):
		f.Status, f.Mode = "added", strings.TrimPrefix(s, "new file mode ")
	case strings.HasPrefix(s, "deleted file mode "):
		f.Status, f.OldMode = "deleted", strings.TrimPrefix(s, "deleted file mode ")
	case strings.HasPrefix(s, "old mode "):
		f.OldMode = strings.TrimPrefix(s, "old mode ")
	case strings.HasPrefix(s, "new mode "):
		f.Mode = strings.TrimPrefix(s, "new mode ")
	case strings.HasPrefix(s, "similarity index "):
		f.Similarity, _ = strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(s, "similarity index "), "%")) // else it is not known
	case strings.HasPrefix(s, "rename from "):
		f.Status, f.OldPath = "renamed", unquote(strings.TrimPrefix(s, "rename from "))
	case strings.HasPrefix(s, "rename to "):
		f.Path = unquote(strings.TrimPrefix(s, "rename to "))
	case strings.HasPrefix(s, "copy from "):
		f.Status, f.OldPath = "copied", unquote(strings.TrimPrefix(s, "copy from "))
	case strings.HasPrefix(s, "copy to "):
		f.Path = unquote(strings.TrimPrefix(s, "copy to "))
	case strings.HasPrefix(s, "Binary files ") || s == "GIT binary patch":
		f.Binary = true
	case name == "---" && value != "/dev/null" && f.Status == "deleted":
		f.Path = strings.TrimPrefix(unquote(value), "a/")
	case name == "+++" && value != "/dev/null":
		f.Path = strings.TrimPrefix(unquote(value), "b/")
	}
}

// pathOfHead is the path of a file that has no other line with it: both sides are the
// same then.
func pathOfHead(s string) string {
	rest := strings.TrimPrefix(s, "diff --git ")
	if strings.HasPrefix(rest, `"`) {
		if quoted, err := strconv.QuotedPrefix(rest); err == nil {
			return strings.TrimPrefix(unquote(quoted), "a/")
		}
	}
	half := (len(rest) - 1) / 2
	if half > 0 && len(rest) > half+1 {
		return strings.TrimPrefix(rest[half+1:], "b/")
	}
	return rest
}

// unquote reads a path as git writes one with odd characters, or one with a tab behind.
func unquote(s string) string {
	s = strings.TrimSuffix(s, "\t")
	if strings.HasPrefix(s, `"`) {
		if plain, err := strconv.Unquote(s); err == nil {
			return plain
		}
	}
	return s
}

func (d *differ) begin(head text.Hunk) {
	h := Hunk{
		OldStart: head.Before.From, OldLines: head.Before.Lines, NewStart: head.After.From, NewLines: head.After.Lines,
		Section: head.Section, Lines: []Line{},
	}
	d.before, d.after, d.old, d.new = h.OldLines, h.NewLines, h.OldStart, h.NewStart
	d.file.Hunks = append(d.file.Hunks, h)
	d.hunk = &d.file.Hunks[len(d.file.Hunks)-1]
}

// content takes a line of a file.
func (d *differ) content(s string) {
	line := Line{Op: s[:1], text: s[1:]}
	switch s[0] {
	case '+':
		line.New = d.new
		d.new, d.after = d.new+1, d.after-1
		d.file.Added++
	case '-':
		line.Old = d.old
		d.old, d.before = d.old+1, d.before-1
		d.file.Removed++
	default:
		line.Op, line.Old, line.New = " ", d.old, d.new
		d.old, d.new, d.before, d.after = d.old+1, d.new+1, d.before-1, d.after-1
	}
	d.add(line)
}

func (d *differ) add(line Line) {
	if d.inFile >= d.perFile || d.kept >= d.total {
		d.file.CutLines++
		return
	}
	if len(line.text) > maxLine {
		line.text = line.text[:maxLine] + "…"
	}
	d.inFile++
	d.kept++
	d.hunk.Lines = append(d.hunk.Lines, line)
}

// end closes a file.
func (d *differ) end() {
	if d.file == nil {
		return
	}
	d.out.TotalFiles++
	d.out.Added += d.file.Added
	d.out.Removed += d.file.Removed
	if len(d.out.Files) < maxFiles {
		d.out.Files = append(d.out.Files, *d.file)
	} else {
		d.out.CutFiles++
	}
	d.file, d.hunk = nil, nil
}

// paint gives the lines their colours: each side of a hunk is read as one piece of code,
// so that what goes over several lines is known on each.
func (d *differ) paint() {
	for i := range d.out.Files {
		f := &d.out.Files[i]
		f.Language = markup.Language(f.Path)
		f.Hunks = dropEmpty(f.Hunks)
		for h := range f.Hunks {
			paintHunk(f.Language, f.Hunks[h].Lines)
		}
	}
}

func dropEmpty(list []Hunk) []Hunk {
	out := list[:0]
	for _, h := range list {
		if len(h.Lines) > 0 {
			out = append(out, h)
		}
	}
	return out
}

func paintHunk(language string, lines []Line) {
	for _, side := range []string{"-", "+"} {
		var code []string
		var at []int
		for i, line := range lines {
			if line.Op == side || line.Op == " " {
				code, at = append(code, strings.ReplaceAll(line.text, "\r", "␍")), append(at, i)
			}
		}
		if len(code) == 0 {
			continue
		}
		painted := markup.Code(language, strings.Join(code, "\n"))
		if len(painted) != len(at) { // something in it ends lines that git does not end
			painted = painted[:0]
			for _, line := range code {
				painted = append(painted, strings.Join(markup.Code("", line), "␤"))
			}
		}
		for i, html := range painted {
			lines[at[i]].HTML = html
		}
	}
	for i := range lines {
		if lines[i].Op == `\` {
			lines[i].HTML = strings.Join(markup.Code("", lines[i].text), " ")
		}
	}
}

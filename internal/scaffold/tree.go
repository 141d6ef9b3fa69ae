package scaffold

import (
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// tree is the files of a project, as one looks at them to find out how it is
// made. What cannot be read is not there.
type tree struct{ files fs.FS }

// maxFile is more than any file has that somebody wrote to set up a project.
const maxFile = 1 << 20

// first is the first file that one of the patterns names, or nothing.
func (p tree) first(patterns ...string) string {
	for _, pattern := range patterns {
		for _, name := range p.all(pattern) {
			return name
		}
	}
	return ""
}

// all is every file that a pattern names, in the order of their names. One whose
// name would break the line in which it is written down is passed over.
func (p tree) all(pattern string) []string {
	names, _ := fs.Glob(p.files, pattern)
	return slices.DeleteFunc(names, func(name string) bool {
		return strings.ContainsFunc(name, unicode.IsControl) || !p.isFile(name)
	})
}

func (p tree) has(patterns ...string) bool { return p.first(patterns...) != "" }

func (p tree) isFile(name string) bool {
	info, err := fs.Stat(p.files, name)
	return err == nil && info.Mode().IsRegular()
}

func (p tree) isFolder(name string) bool {
	info, err := fs.Stat(p.files, name)
	return err == nil && info.IsDir()
}

// read is the beginning of a file; of one that cannot be read, nothing.
func (p tree) read(name string) string {
	if !p.isFile(name) { // a pipe would be waited for
		return ""
	}
	f, err := p.files.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, _ := io.ReadAll(io.LimitReader(f, maxFile))
	return string(b)
}

// mentions tells whether a text stands in one of the files.
func (p tree) mentions(text string, patterns ...string) bool {
	for _, pattern := range patterns {
		for _, name := range p.all(pattern) {
			if strings.Contains(p.read(name), text) {
				return true
			}
		}
	}
	return false
}

// broken notes a file that should have told the commands and cannot be read.
func (t *Toolchain) broken(name string, err error) {
	t.note(name+" cannot be read: "+err.Error(), "mend it, then look at [commands] in "+settingsFile)
}

func (t *Toolchain) note(text, hint string) {
	t.Notes = append(t.Notes, loop.Warning{Text: text, Hint: hint})
}

// plainWord is what the shell takes as it is.
var plainWord = text.NewPattern(`^[A-Za-z0-9_./@%+=:,-]+$`)

// word makes a name one word for the shell.
func word(name string) string {
	if plainWord().MatchString(name) {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}

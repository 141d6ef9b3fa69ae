package glob

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// special are the signs that make a path a pattern.
const special = `*?[\`

// IsPattern tells whether a path is a pattern, and not the name of one file.
func IsPattern(path string) bool { return strings.ContainsAny(path, special) }

// Literal is a path as a pattern that matches only itself.
func Literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// Files gives the files that match a pattern, sorted. Two stars between slashes
// are any number of folders. A name that begins with a dot is matched only by a
// pattern that does, and links to folders are not followed below two stars. A
// pattern that cannot be read is path.ErrBadPattern.
func Files(tree fs.FS, pattern string) ([]string, error) {
	words, err := parseWords(pattern)
	if err != nil {
		return nil, err
	}
	f := finder{tree: tree}
	err = f.expand(".", words)
	slices.Sort(f.found)
	return slices.Compact(f.found), err
}

// word is a pattern for one name of a path.
type word struct {
	text  string
	shape *regexp.Regexp // nil when the text is a name, or two stars
}

// anyFolders is the word for any number of folders.
const anyFolders = "**"

func parseWords(pattern string) ([]word, error) {
	texts := slices.CompactFunc(strings.Split(pattern, "/"), func(a, b string) bool { return a == anyFolders && b == anyFolders })
	if texts[len(texts)-1] == anyFolders {
		texts = append(texts, "*")
	}
	words := make([]word, len(texts))
	for i, text := range texts {
		words[i].text = text
		if text == anyFolders || !IsPattern(text) {
			continue
		}
		var err error
		if words[i].shape, err = compile(text); err != nil {
			return nil, path.ErrBadPattern
		}
	}
	return words, nil
}

// takes tells whether a name in a folder is meant, or may lead further.
func (w word) takes(name string) bool {
	hidden := strings.HasPrefix(name, ".") && !strings.HasPrefix(w.text, ".")
	return !hidden && (w.shape == nil || w.shape.MatchString(latin(name)))
}

// finder looks through a tree.
type finder struct {
	tree  fs.FS
	found []string
}

// expand goes on below dir with the words of the pattern that are left.
func (f *finder) expand(dir string, words []word) error {
	word, rest := words[0], words[1:]
	stars := word.text == anyFolders
	if !stars && word.shape == nil {
		return f.step(path.Join(dir, word.text), rest)
	}
	if stars {
		if err := f.expand(dir, rest); err != nil {
			return err
		}
	}
	entries, err := fs.ReadDir(f.tree, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case !word.takes(e.Name()):
		case !stars:
			err = f.step(name, rest)
		case e.IsDir():
			err = f.expand(name, words)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step takes a name that matches so far: a file at the end of the pattern, a
// folder before it.
func (f *finder) step(name string, rest []word) error {
	info, err := fs.Stat(f.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // or a link to nothing
		return nil
	case err != nil && len(rest) > 0:
		return err
	case len(rest) > 0 && info.IsDir():
		return f.expand(name, rest)
	case len(rest) == 0 && (err != nil || info.Mode().IsRegular()):
		f.found = append(f.found, name) // whoever reads it says why it can't be had
	}
	return nil
}

package prompt

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// special are the signs that make a path a pattern.
const special = `*?[\`

// literally is a path as a pattern that matches only itself.
func literally(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// glob gives the files that match a pattern, sorted. Two stars between slashes
// are any number of folders. A name that begins with a dot is matched only by a
// pattern that does, and links to folders are not followed below two stars.
func glob(tree fs.FS, pattern string) ([]string, error) {
	g := globber{tree: tree}
	words := slices.CompactFunc(strings.Split(pattern, "/"), func(a, b string) bool { return a == "**" && b == "**" })
	if words[len(words)-1] == "**" {
		words = append(words, "*")
	}
	err := g.expand(".", words)
	slices.Sort(g.found)
	return slices.Compact(g.found), err
}

type globber struct {
	tree  fs.FS
	found []string
}

// expand goes on below dir with the words of the pattern that are left.
func (g *globber) expand(dir string, words []string) error {
	word, rest := words[0], words[1:]
	if word != "**" && !strings.ContainsAny(word, special) {
		return g.step(path.Join(dir, word), rest)
	}
	if word == "**" {
		if err := g.expand(dir, rest); err != nil {
			return err
		}
	}
	entries, err := fs.ReadDir(g.tree, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(word, ".")
		if hidden {
			continue
		}
		if word == "**" {
			if e.IsDir() {
				err = g.expand(name, words)
			}
		} else if match, bad := path.Match(word, e.Name()); bad != nil {
			err = bad
		} else if match {
			err = g.step(name, rest)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// step takes a name that matches so far: a file at the end of the pattern, a
// folder before it.
func (g *globber) step(name string, rest []string) error {
	info, err := fs.Stat(g.tree, name)
	switch {
	case errors.Is(err, fs.ErrNotExist): // or a link to nothing
		return nil
	case err != nil && len(rest) > 0:
		return err
	case len(rest) > 0 && info.IsDir():
		return g.expand(name, rest)
	case len(rest) == 0 && (err != nil || info.Mode().IsRegular()):
		g.found = append(g.found, name) // whoever reads it says why it can't be had
	}
	return nil
}

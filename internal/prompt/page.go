package prompt

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// page is one text on its way into the prompt.
type page struct {
	name    string // for messages
	text    string
	dir     string      // from the root of the work tree: where its includes begin
	info    fs.FileInfo // nil when it is no file
	trusted bool        // its commands may be run
	vars    map[string]any
	from    *page // who includes it
	height  int   // lines of front matter
}

// page is a piece as templates see it.
func (t *turn) page(piece Piece, text string) *page {
	p := &page{name: piece.name(), text: text, trusted: piece.Trusted, vars: t.builder.Vars}
	dir := piece.Dir
	if piece.Path != "" {
		file := piece.source().file()
		dir = filepath.Dir(file)
		p.info, _ = os.Stat(file) // a frozen one may be gone
	}
	p.dir = within(t.builder.Tree, dir)
	return p
}

// within is a folder seen from the root of the tree; one that is not below it,
// such as that of a prompt in the user's home, is taken for the root.
func within(tree, dir string) string {
	if dir == "" {
		return "."
	}
	rel, err := filepath.Rel(resolved(tree), resolved(dir))
	if err != nil || !filepath.IsLocal(rel) {
		return "."
	}
	return filepath.ToSlash(rel)
}

// resolved is a path without links, as far as it can be had.
func resolved(dir string) string {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	if straight, err := filepath.EvalSymlinks(dir); err == nil {
		dir = straight
	}
	return dir
}

// accept takes in what the front matter says. The user's own variables, and
// those of a page that includes this one, go before its defaults.
func (p *page) accept(front Front) error {
	vars := map[string]any{}
	maps.Copy(vars, front.Defaults)
	maps.Copy(vars, p.vars)
	p.vars, p.height = vars, front.height
	if name := front.missing(vars); name != "" {
		return &Error{
			Path: p.name, Line: front.needs, What: fmt.Sprintf("the variable %q is required and has no value", name),
			Hint: `give it one with --var, or a default: a line "` + name + `: VALUE" under "defaults:"`,
		}
	}
	if p.from != nil && len(front.Settings) > 0 {
		return &Error{
			Path: p.name, Line: slices.Min(slices.Collect(maps.Values(front.Lines))),
			What: "settings have no effect in a file that is included", Hint: "move them to the prompt itself",
		}
	}
	return nil
}

// checkChain refuses a page that is already being made, or that is too deep.
func (p *page) checkChain() error {
	names, again := []string{p.name}, false
	for by := p.from; by != nil; by = by.from {
		names = append(names, by.label())
		again = again || by.info != nil && os.SameFile(by.info, p.info)
	}
	slices.Reverse(names)
	chain := strings.Join(names, " includes ")
	switch {
	case again:
		return &Error{What: "files include each other without end: " + chain, Hint: "take one of these includes out"}
	case len(names)-1 > deepest:
		return &Error{What: fmt.Sprintf("files include each other more than %d deep: %s", deepest, chain), Hint: "include them from further up"}
	}
	return nil
}

// label is the name of a page that may have none.
func (p *page) label() string {
	if p.name == "" {
		return "the prompt"
	}
	return p.name
}

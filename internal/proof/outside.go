package proof

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/text"
)

// outside says what a claim leans on that is not in the checkout, or nothing:
// settings and programs that are not as they were, links that lead elsewhere,
// files that name the work tree.
func (c *claim) outside(ctx context.Context, _ *Ruling, _ *evidence) want {
	if !c.anyClean() {
		return want{}
	}
	if c.known.Around != nil {
		if other := lookAround(c.Env, c.lines(), c.Proof).against(c.known.Around); len(other) > 0 {
			return want{lacksAround, fmt.Sprintf("what the gates run with, outside of the project, is not what it was when the run began: %s; put it back, and have the project say what it needs", text.FirstFew(other))}
		}
	}
	if links := c.newLinks(ctx); len(links) > 0 {
		return want{lacksLinks, fmt.Sprintf("links lead out of the project, where nobody else has what they lead to: %s", text.FirstFew(links))}
	}
	if files := c.pointing(ctx); len(files) > 0 {
		return want{lacksPaths, fmt.Sprintf("files name the folder of this work tree, which nobody else has: %s", text.FirstFew(files))}
	}
	return want{}
}

// newLinks is links out of the checkout that were not there when the run began.
func (c *claim) newLinks(ctx context.Context) []string {
	var list []string
	for _, one := range c.rooms.open {
		list = append(list, one.Links()...)
	}
	if len(list) == 0 || c.First == nil {
		return list
	}
	trees := c.Store.Trees()
	first, err := trees.Paths(ctx, c.First.Tree)
	if err != nil {
		return list
	}
	now, err := trees.Paths(ctx, c.at.Tree)
	if err != nil {
		return list
	}
	slices.Sort(list)
	return slices.DeleteFunc(slices.Compact(list), func(path string) bool { return first[path] == now[path] })
}

// maxRead is how large a file may be to be searched, and maxSearched how many
// are.
const (
	maxRead     = 1 << 20
	maxSearched = 2000
)

// pointing is files of the work that name the work tree by its place on this
// disk and did not when the run began.
func (c *claim) pointing(ctx context.Context) []string {
	if c.First == nil || len(c.Proof.Tree) < 2 {
		return nil
	}
	edits, err := c.edits(ctx, c.at.Tree)
	if err != nil {
		return nil // what cannot be compared is told by who needs it
	}
	var files []checkpoint.File
	of := map[checkpoint.File]string{}
	for _, e := range edits[:min(len(edits), maxSearched)] {
		if e.Is.There() && !e.Is.Link() && isWork(e.Path) && !prose(e.Path) && e.Is != e.Was {
			files = append(files, e.Is, e.Was)
			of[e.Is] = e.Path
		}
	}
	naming := map[checkpoint.File]bool{}
	if err := c.Store.Trees().ReadAll(ctx, files, func(f checkpoint.File, text []byte) {
		naming[f] = len(text) <= maxRead && namesPath(string(text), c.Proof.Tree)
	}); err != nil {
		return nil
	}
	var list []string
	for _, e := range edits {
		if of[e.Is] == e.Path && naming[e.Is] && !naming[e.Was] {
			list = append(list, e.Path)
		}
	}
	return list
}

// prose tells whether a file is for people: a document may say where something
// is.
func prose(path string) bool {
	low := strings.ToLower(path)
	for _, ending := range []string{".md", ".txt", ".rst", ".adoc", ".log", ".html"} {
		if strings.HasSuffix(low, ending) {
			return true
		}
	}
	return false
}

// inName are characters that belong to the name of a file, so that a path which
// begins or ends beside one is another path.
const inName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.@~+%"

// eachPath calls f for every place in a text at which a path stands as a whole:
// not the middle of a longer one.
func eachPath(text, path string, f func(at int)) {
	for from := 0; ; {
		at := strings.Index(text[from:], path)
		if at < 0 {
			return
		}
		at += from
		end := at + len(path)
		before := at == 0 || !strings.ContainsRune(inName+"/", rune(text[at-1]))
		if after := end == len(text) || !strings.ContainsRune(inName, rune(text[end])); before && after {
			f(at)
		}
		from = end
	}
}

// replacePath puts another path in the place of one.
func replacePath(text, path, other string) string {
	if path == "" {
		return text
	}
	var b strings.Builder
	last := 0
	eachPath(text, path, func(at int) {
		b.WriteString(text[last:at] + other)
		last = at + len(path)
	})
	return b.String() + text[last:]
}

// namesPath tells whether a text names a folder, or something in it. One right
// below the root, such as /app, may mean anything.
func namesPath(text, folder string) bool {
	if strings.Count(strings.TrimSuffix(folder, "/"), "/") < 2 {
		return false
	}
	found := false
	eachPath(text, folder, func(int) { found = true })
	return found
}

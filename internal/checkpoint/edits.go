package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/git"
)

// edit is what happened to one file, by its path in the work tree.
type edit struct {
	path, from     string
	change         string
	oldMode, mode  string
	oldObject      string // what it held
	object         string // what it holds now
	added, removed int
}

// comparer compares trees of a store. It remembers what the last question was
// answered with: an iteration asks the same for several reasons.
type comparer struct {
	tree *git.Tree
	repo *shadow

	mu    sync.Mutex
	asked string
	found []edit
}

// edits compares two trees, as far as the work tree reaches.
func (c *comparer) edits(ctx context.Context, before, after string, options ...string) ([]edit, error) {
	edits, err := c.compare(ctx, before, after, append(options, before, after, "--"), c.within())
	if err != nil {
		return nil, err
	}
	for i := range edits {
		edits[i].path = strings.TrimPrefix(edits[i].path, c.tree.Prefix())
		edits[i].from = strings.TrimPrefix(edits[i].from, c.tree.Prefix())
	}
	return edits, nil
}

// allEdits compares two trees as a whole, with paths from the top.
func (c *comparer) allEdits(ctx context.Context, before, after string) ([]edit, error) {
	return c.compare(ctx, before, after, []string{"-M", before, after, "--"}, nil)
}

func (c *comparer) compare(ctx context.Context, before, after string, options, within []string) ([]edit, error) {
	if before == after {
		return nil, nil
	}
	args := slices.Concat([]string{"diff-tree", "-r", "-z", "--raw", "--numstat", "--full-index", "--ignore-submodules=dirty", "--no-ext-diff", "--no-textconv"}, options, within)
	asked := strings.Join(args, " ")
	if edits, ok := c.known(asked); ok {
		return edits, nil
	}
	out, err := c.repo.run(ctx, git.Command{}, args...)
	if err != nil {
		return nil, err
	}
	edits, err := parseEdits(out)
	if err != nil {
		return nil, fmt.Errorf("git diff-tree in %s: %w", c.repo.dir, err)
	}
	c.remember(asked, edits)
	return edits, nil
}

func (c *comparer) known(asked string) ([]edit, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.found), c.asked == asked
}

func (c *comparer) remember(asked string, edits []edit) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.found = asked, slices.Clone(edits)
}

// within limits git to the work tree of the run.
func (c *comparer) within() []string {
	if c.tree.Prefix() == "" {
		return nil
	}
	return []string{":(top,literal)" + c.tree.Prefix()}
}

// parseEdits reads what git diff-tree says of two trees: first what happened to
// each file, then its lines.
func parseEdits(out []byte) ([]edit, error) {
	var edits []edit
	at := map[string]int{}
	items := git.SplitNUL(out)
	next := func() string {
		if len(items) == 0 {
			return ""
		}
		item := items[0]
		items = items[1:]
		return item
	}
	for len(items) > 0 {
		line := next()
		if strings.HasPrefix(line, ":") {
			e, ok := parseRaw(line, next)
			if !ok {
				return nil, fmt.Errorf("a line of unknown kind: %q", line)
			}
			at[e.path] = len(edits)
			edits = append(edits, e)
			continue
		}
		fields := strings.SplitN(line, "\t", 3)
		if len(fields) != 3 {
			return nil, fmt.Errorf("a line of unknown kind: %q", line)
		}
		path := fields[2]
		if path == "" { // renamed: from, to
			next()
			path = next()
		}
		i, ok := at[path]
		if !ok {
			return nil, fmt.Errorf("lines of an unknown file: %q", path)
		}
		if edits[i].oldMode != git.Gitlink && edits[i].mode != git.Gitlink {
			edits[i].added, _ = strconv.Atoi(fields[0]) // "-" is binary: no lines
			edits[i].removed, _ = strconv.Atoi(fields[1])
		}
	}
	return edits, nil
}

// parseRaw reads ":MODE MODE OBJECT OBJECT STATUS", then one path or two.
func parseRaw(line string, next func() string) (edit, bool) {
	fields := strings.Fields(line[1:])
	if len(fields) != 5 {
		return edit{}, false
	}
	e := edit{oldMode: fields[0], mode: fields[1], oldObject: fields[2], object: fields[3], path: next()}
	switch fields[4][0] {
	case 'A':
		e.change = created
	case 'D':
		e.change = deleted
	case 'R':
		e.change, e.from, e.path = renamed, e.path, next()
		if e.from == "" {
			return edit{}, false
		}
	case 'M', 'T':
		e.change = modified
		if fields[2] == fields[3] {
			e.change = modeOnly
		}
	default:
		return edit{}, false
	}
	return e, e.path != ""
}

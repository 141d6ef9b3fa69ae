package prompt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/glob"
)

const (
	deepest     = 5       // files within files
	largestFile = 1 << 20 // bytes

	// ownPrompts is where the user keeps prompts: what is included from there is
	// the user's own, and may run commands.
	ownPrompts = ".refrain/prompts/"
)

// inclusion is how files are put in.
type inclusion struct {
	optional bool // there may be none
	asItIs   bool // they are no templates
}

// include is the text of the files that match a pattern. It begins at the
// folder of the page, or with a slash at the root of the work tree, out of which
// it never leads, links included.
func (t *turn) include(ctx context.Context, p *page, pattern string, how inclusion) (string, error) {
	root, err := files.OpenTree(t.builder.Tree)
	if err != nil {
		return "", &Error{What: "the work tree cannot be read: " + files.Cause(err), Hint: "see that it is still there", Err: err}
	}
	defer root.Close()
	names, err := p.find(root, pattern)
	if err != nil {
		return "", err
	}
	if len(names) == 0 && !how.optional {
		return "", &Error{What: fmt.Sprintf("no file to include matches %q", pattern), Hint: "correct it, or use includeIf where there may be none"}
	}
	var texts []string
	for _, name := range names {
		text, err := t.enter(ctx, root, p, name, how)
		if err != nil {
			return "", err
		}
		texts = append(texts, strings.TrimRight(text, "\r\n"))
	}
	return strings.Join(texts, "\n\n"), nil
}

// find gives the names of the files that a pattern means, from the root of the
// work tree. They may be none.
func (p *page) find(root *os.Root, pattern string) ([]string, error) {
	dir, below := p.dir, pattern
	if rest, ok := strings.CutPrefix(pattern, "/"); ok {
		dir, below = ".", rest
	}
	name := path.Join(dir, below)
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, &Error{What: fmt.Sprintf("%q leads out of the work tree", pattern), Hint: "only files in the work tree can be included; copy it there"}
	}
	if glob.IsPattern(below) {
		found, err := glob.Files(files.FS(root), path.Join(glob.Literal(dir), below))
		if err != nil {
			return nil, &Error{What: fmt.Sprintf("the files that match %q cannot be found: %s", pattern, files.Cause(err)), Hint: `a pattern is as in "specs/*.md" or "specs/**/*.md"`, Err: err}
		}
		return found, nil
	}
	if _, err := root.Stat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return []string{name}, nil
}

// enter puts in one file.
func (t *turn) enter(ctx context.Context, root *os.Root, p *page, name string, how inclusion) (string, error) {
	text, info, err := readFile(ctx, root, name)
	if err != nil {
		return "", err
	}
	if err := t.spend(len(text)); err != nil {
		return "", err
	}
	if how.asItIs {
		return text, nil
	}
	next := &page{
		name: name, text: text, dir: path.Dir(name), info: info, from: p, vars: p.vars,
		trusted: p.trusted && strings.HasPrefix(name, ownPrompts) && straight(root, path.Dir(name)),
	}
	if err := next.checkChain(); err != nil {
		return "", err
	}
	return t.render(ctx, next)
}

// straight tells whether no folder on the way to a name is a link: behind one lies
// what is not the user's own, whatever it is called.
func straight(root *os.Root, folder string) bool {
	for ; folder != "."; folder = path.Dir(folder) {
		if info, err := root.Lstat(filepath.FromSlash(folder)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// readFile reads a file that is text and not too long.
func readFile(ctx context.Context, root *os.Root, name string) (string, fs.FileInfo, error) {
	refuse := func(what, hint string, err error) (string, fs.FileInfo, error) {
		return "", nil, &Error{What: fmt.Sprintf("%s cannot be included: it %s", name, what), Hint: hint, Err: err}
	}
	data, info, err := load(ctx, root, name)
	var (
		other   *files.NotRegularError
		large   *files.TooLargeError
		outside *files.OutsideError
	)
	switch {
	case ctx.Err() != nil:
		return "", nil, context.Cause(ctx)
	case errors.As(err, &outside):
		return refuse("is a link that leads out of the work tree", "only files in the work tree can be included; copy it there", err)
	case errors.As(err, &other) && other.Mode.IsDir():
		return refuse("is a folder", fmt.Sprintf(`name its files, as in "%s/*.md"`, name), err)
	case errors.As(err, &other):
		return refuse("is "+other.Kind()+", not a file", "name a file", err)
	case errors.As(err, &large):
		return refuse("is larger than "+large.Size(), "name it in the prompt, and let the agent read what it needs", err)
	case err != nil:
		return refuse("cannot be read: "+files.Cause(err), "see that you may read it", err)
	case !utf8.Valid(data), slices.Contains(data, 0):
		return refuse("is not text", "save it as UTF-8 text, or let the agent read it", nil)
	}
	return strings.TrimPrefix(string(data), mark), info, nil
}

func load(ctx context.Context, root *os.Root, name string) ([]byte, fs.FileInfo, error) {
	file, err := files.Open(root, filepath.FromSlash(name))
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, nil, err
	}
	data, err := files.All(ctx, file, largestFile)
	return data, info, err
}

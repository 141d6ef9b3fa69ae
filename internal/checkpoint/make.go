package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/pool"
)

// maker makes a store: a repository beside the user's, which needs nothing of that
// once it is made.
type maker struct {
	tree *git.Tree
	user *userRepo
	dir  string
	pool string // where stores share what they copied; empty: nowhere

	made       madeFor
	sealed     map[string]string
	files      []string // of the new index; nil when it is empty
	indexStamp string   // of the user's index when it was copied
	autocrlf   string   // the user's setting; empty: none
}

// unborn is the HEAD of a repository without a commit.
const unborn = "ref: refs/heads/checkpoints\n"

// asIs keeps git from changing a file on its way in or out. What stands in this
// file of a repository wins over every .gitattributes. An encoding can only be
// forgotten, not forbidden.
const asIs = "* -text -eol -ident -filter !working-tree-encoding\n"

// make builds the store beside its place and moves it there when it is whole.
func (m *maker) make(ctx context.Context) error {
	building := m.dir + ".new"
	if err := os.RemoveAll(building); err != nil {
		return err
	}
	like, err := m.like(ctx)
	if err != nil {
		return err
	}
	m.made = madeFor{Format: m.user.format, Prefix: m.tree.Prefix(), Top: m.user.top, Dir: m.user.dir}
	if m.made.Borrows, err = borrowed(ctx, m.user.objects()); err != nil {
		return err
	}
	if m.sealed, err = sealedFiles(m.made, like); err != nil {
		return err
	}
	if err := layOut(building, nil, files.NoSync); err != nil {
		return err
	}
	if err := pool.Take(ctx, m.user.objects(), m.pool, filepath.Join(building, "objects")); err != nil {
		return fmt.Errorf("take the objects: %w", err)
	}
	if err := layOut(building, m.sealed, files.SyncSoon); err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(building, "HEAD"), []byte(unborn), 0o600, files.SyncFile); err != nil {
		return err
	}
	if err := m.seed(ctx, filepath.Join(building, "index")); err != nil {
		return err
	}
	_ = os.Remove(m.dir) // an empty folder may stand there
	return os.Rename(building, m.dir)
}

// layOut writes the files that make a folder a repository.
func layOut(dir string, texts map[string]string, sync files.Sync) error {
	for _, folder := range []string{"info", "objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := files.Replace(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600, sync); err != nil {
			return err
		}
	}
	return nil
}

// settings are those of the store. Nothing of the user's may run in it or pack
// it, and what it was given is on the disk before the journal says so. A file
// outside of a sparse checkout counts as soon as somebody makes it.
const settings = `	logAllRefUpdates = false
	fsmonitor = false
	splitIndex = false
	untrackedCache = false
	sparseCheckout = true
	autocrlf = false
	safecrlf = false
	fsync = objects
	fsyncMethod = batch
[index]
	sparse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[i18n]
	commitEncoding = UTF-8
`

// shared is the file of settings that are as the user's.
const shared = "shared"

// alike are the user's settings that say how files are on this disk, and which
// of them do not count.
const (
	alike     = `^core\.(` + alikeKeys + `)$`
	alikeKeys = "filemode|symlinks|ignorecase|precomposeunicode|longpaths|protecthfs|protectntfs|trustctime|checkstat|excludesfile"
)

// autocrlf is asked for with them. The store has none: it keeps what is on the disk.
const autocrlf = "core.autocrlf"

// like is the user's settings that the store and clean checkouts share.
func (m *maker) like(ctx context.Context) (string, error) {
	out, err := m.user.ask(ctx, git.Command{}, "config", "-z", "--get-regexp", alike+"|^"+autocrlf+"$")
	if err != nil && !git.SaidNo(err) {
		return "", err
	}
	var b strings.Builder
	b.WriteString("[core]\n")
	for _, item := range git.SplitNUL(out) {
		key, value, given := strings.Cut(item, "\n")
		if m.tree.Program().ReadsInstead(value) {
			continue // which is this run's alone
		}
		if !given {
			value = "true"
		}
		if key == autocrlf {
			m.autocrlf = value // the last one holds
			continue
		}
		fmt.Fprintf(&b, "\t%s = %s\n", strings.TrimPrefix(key, "core."), git.QuoteConfig(value))
	}
	return b.String(), nil
}

// configText is a config with the format of a repository, what it shares with the
// user's, and more.
func configText(format, shared, more string) string {
	var b strings.Builder
	version := 0
	if format != "sha1" {
		version = 1
		fmt.Fprintf(&b, "[extensions]\n\tobjectFormat = %s\n", format)
	}
	fmt.Fprintf(&b, "[include]\n\tpath = %s\n", git.QuoteConfig(shared))
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n%s", version, more)
	return b.String()
}

// borrowed names the stores that the user's repository itself borrows from.
func borrowed(ctx context.Context, objects string) ([]string, error) {
	list, err := files.ReadFile(ctx, filepath.Join(objects, "info", "alternates"), git.SmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var named []string
	for line := range strings.Lines(string(list)) {
		path := filepath.FromSlash(strings.TrimSuffix(line, "\n"))
		switch {
		case path == "" || strings.HasPrefix(path, "#"):
			continue
		case !filepath.IsAbs(path):
			path = filepath.Join(objects, path)
		}
		named = append(named, path)
	}
	return named, err
}

// convertedPaths are the tracked files whose attributes may make git change them on
// their way.
var convertedPaths = []string{
	":/", ":(top,exclude,attr:!text !eol !crlf !ident !filter !working-tree-encoding)",
	":(top,exclude,attr:-text !ident !filter !working-tree-encoding)",
}

// readableByAll makes git write an index that any repository can read: whole, and
// without what a helper program was to remember.
var readableByAll = []string{"-c", "core.splitIndex=false", "-c", "index.sparse=false", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"}

// seed begins the index with a copy of the user's, so that what git knows of
// unchanged files need not be found out again. Entries that would be trusted
// wrongly lose what is known about them, and a submodule that is a plain folder
// is none. Without the user's index it begins empty, and every file is read.
func (m *maker) seed(ctx context.Context, index string) error {
	switch err := files.Copy(m.user.index(), index, files.NoSync); {
	case errors.Is(err, fs.ErrNotExist), errors.As(err, new(*files.NotRegularError)):
		return nil
	case err != nil:
		return fmt.Errorf("copy the index: %w", err)
	}
	m.indexStamp = files.StampAt(m.user.index())
	onCopy := git.Command{Env: []string{"GIT_INDEX_FILE=" + index}}
	suspects, err := m.suspects(ctx, onCopy)
	if err != nil {
		return err
	}
	out, err := m.user.ask(ctx, onCopy, "ls-files", "--stage", "-v", "-z")
	if err != nil {
		return err
	}
	var forget bytes.Buffer
	m.files = []string{}
	for _, line := range git.SplitNUL(out) {
		e, err := parseEntry(line)
		if err != nil {
			return err
		}
		m.files = append(m.files, e.path)
		switch {
		case e.mode == git.Gitlink && plainFolder(m.user.path(e.path)):
			fmt.Fprintf(&forget, "0 %s\t%s\x00", strings.Repeat("0", len(e.object)), e.path)
		case e.outside(m.user):
		case suspects(e.path) || e.untrusted():
			fmt.Fprintf(&forget, "%s %s\t%s\x00", e.mode, e.object, e.path)
		}
	}
	// Git reads again what was written in the same moment as the index. Those that a
	// filter would change have been forgotten, so it need not be run.
	if onCopy.Settings, err = git.WithoutFilters(ctx, m.user.ask, true); err != nil {
		return err
	}
	onCopy.Stdin = forget.Bytes()
	_, err = m.user.ask(ctx, onCopy, append(readableByAll, "update-index", "--force-write-index", "-z", "--index-info")...)
	return err
}

// suspects tells which files may differ on disk from what git holds although
// git takes them for unchanged, since it would change them on their way.
func (m *maker) suspects(ctx context.Context, onCopy git.Command) (func(string) bool, error) {
	if m.autocrlf != "" && m.autocrlf != "false" {
		return func(string) bool { return true }, nil
	}
	out, err := m.user.ask(ctx, onCopy, append([]string{"ls-files", "-z", "--"}, convertedPaths...)...)
	if err != nil {
		return nil, err
	}
	set := map[string]bool{}
	for _, path := range git.SplitNUL(out) {
		set[path] = true
	}
	return func(path string) bool { return set[path] }, nil
}

// entry is one line of "ls-files --stage -v".
type entry struct{ tag, mode, object, stage, path string }

func parseEntry(line string) (entry, error) {
	what, path, ok := strings.Cut(line, "\t")
	fields := strings.Fields(what)
	if !ok || len(fields) != 4 {
		return entry{}, fmt.Errorf("git ls-files: a line of unknown kind: %q", line)
	}
	return entry{tag: fields[0], mode: fields[1], object: fields[2], stage: fields[3], path: path}, nil
}

// outside tells whether the file is outside of a sparse checkout. Then it is not
// there, and was not deleted.
func (e entry) outside(u *userRepo) bool {
	if !strings.EqualFold(e.tag, "S") {
		return false
	}
	_, err := os.Lstat(u.path(e.path))
	return err != nil
}

// untrusted tells whether the index says something else than the file: that it
// has several versions, or that nobody is to look at it.
func (e entry) untrusted() bool { return e.tag != "H" || e.stage != "0" }

package carry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/redact"
)

// remote is a git remote, and a repository of our own beside the records by which we
// speak to it: nothing that an agent can write says what runs when we push.
type remote struct {
	name string // as a person has named it, without a password
	url  string
	repo string
	// format is how the repository names its objects: sha1 or sha256.
	format string
	git    git.Program

	tries int // how often a push is tried
}

// openRemote finds the remote that a person means: one of the repository, a URL or a
// folder.
func openRemote(ctx context.Context, tree *git.Tree, records, meant string) (*remote, error) {
	r := &remote{name: meant, repo: filepath.Join(records, "carry"), tries: tries}
	if !strings.HasPrefix(meant, "-") {
		r.url = address(ctx, tree, meant)
	}
	if r.url == "" {
		return nil, noRemote(meant)
	}
	r.name = shown(r.name)
	r.git = tree.Program().In(r.repo)
	return r, r.make(ctx, tree)
}

// shown is an address without a password.
func shown(remote string) string { return redact.Address(remote) }

func noRemote(meant string) error {
	return &UnknownError{fmt.Sprintf("%q is no remote", meant), "\"git remote -v\" lists those of the repository; a URL or a folder is one, too"}
}

// address is where git finds a remote; empty: it is none.
func address(ctx context.Context, tree *git.Tree, meant string) string {
	if out, err := tree.Program().Run(ctx, "remote", "get-url", "--", meant); err == nil {
		return strings.TrimSuffix(string(out), "\n")
	}
	if strings.Contains(meant, ":") {
		return meant
	}
	if info, err := os.Stat(meant); err != nil || !info.IsDir() {
		return ""
	}
	path, err := filepath.Abs(meant)
	if err != nil {
		return ""
	}
	return path
}

// settings are those of our repository. What comes from a remote is looked at as a
// whole, but for faults of old that are in honest repositories.
const settings = `[core]
	repositoryformatversion = %d
	bare = true
	logAllRefUpdates = false
%s[gc]
	auto = 0
[maintenance]
	auto = false
[fetch]
	fsckObjects = true
[fetch "fsck"]
	zeroPaddedFilemode = ignore
	missingSpaceBeforeDate = ignore
	badTimezone = ignore
	missingSpaceBeforeEmail = ignore
	badDate = ignore
`

// make makes our repository, which reads the user's objects, too.
func (r *remote) make(ctx context.Context, tree *git.Tree) error {
	out, err := tree.Program().Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", "objects")
	if err != nil {
		return err
	}
	format, err := tree.Program().Run(ctx, "rev-parse", "--show-object-format")
	if err != nil {
		return err
	}
	r.format = strings.TrimSpace(string(format))
	if err := outfit(r.repo, r.format, strings.TrimSuffix(string(out), "\n")+"\n"); err != nil {
		return err
	}
	if err := r.likewiseShallow(ctx, tree); err != nil {
		return fmt.Errorf("make a repository to carry with: %w", err)
	}
	return nil
}

// likewiseShallow has our repository lack the history that the user's lacks: else a
// remote would take it for known.
func (r *remote) likewiseShallow(ctx context.Context, tree *git.Tree) error {
	out, err := tree.Program().Run(ctx, "rev-parse", "--path-format=absolute", "--git-path", shallowFile)
	if err != nil {
		return err
	}
	ours := filepath.Join(r.repo, shallowFile)
	theirs, err := files.ReadFile(ctx, strings.TrimSuffix(string(out), "\n"), git.SmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return files.Ignoring(os.Remove(ours), fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	return files.Replace(ours, theirs, 0o600, files.NoSync)
}

// shallowFile is where git lists commits whose parents it does not have.
const shallowFile = "shallow"

// outfit makes a repository of ours, which reads the objects of others, too.
func outfit(repo, format, alternates string) error {
	version, extension := 0, ""
	if format != "sha1" {
		version, extension = 1, "[extensions]\n\tobjectFormat = "+format+"\n"
	}
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(repo, filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"config":                  fmt.Sprintf(settings, version, extension),
		"HEAD":                    "ref: refs/heads/none\n",
		"objects/info/alternates": alternates,
	} {
		if err := files.Replace(filepath.Join(repo, filepath.FromSlash(name)), []byte(text), 0o600, files.NoSync); err != nil {
			return fmt.Errorf("make a repository to carry with: %w", err)
		}
	}
	return nil
}

// heads is where branches are.
const heads = "refs/heads/"

// protocols are the ways to a remote.
const protocols = "GIT_ALLOW_PROTOCOL=https:http:ssh:git:file"

// run runs git in our repository, with more folders of objects to read.
func (r *remote) run(ctx context.Context, stdin []byte, more []string, args ...string) (string, error) {
	return r.runWriting(ctx, stdin, "", more, args...)
}

// runWriting is run, with a folder of its own for the objects that git makes; empty: it
// is that of our repository.
func (r *remote) runWriting(ctx context.Context, stdin []byte, to string, more []string, args ...string) (string, error) {
	env := []string{"GIT_DIR=" + r.repo, protocols}
	if to != "" {
		env = append(env, "GIT_OBJECT_DIRECTORY="+to)
		more = append([]string{filepath.Join(r.repo, "objects")}, more...)
	}
	out, err := r.git.RunWith(ctx, git.Command{Env: append(env, alsoIn(more)...), Stdin: stdin}, args...)
	return string(out), err
}

// alsoIn has git read more folders of objects.
func alsoIn(more []string) []string {
	if len(more) == 0 {
		return nil
	}
	var dirs []string
	for _, dir := range more {
		if strings.ContainsAny(dir, `"`+string(os.PathListSeparator)) {
			dir = git.QuoteConfig(dir)
		}
		dirs = append(dirs, dir)
	}
	return []string{"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + strings.Join(dirs, string(os.PathListSeparator))}
}

// look is what a ref is at; empty where there is none.
func (r *remote) look(ctx context.Context, ref string) (string, error) {
	all, err := r.refs(ctx, ref)
	return all[ref], err
}

// Look asks a remote, given by its address, what the ref of a run is at; empty: there is
// none. Git is run in a folder, which need be no repository.
func Look(ctx context.Context, dir, address, id string) (at string, err error) {
	all, err := Refs(ctx, dir, address, Prefix+id)
	return all[Prefix+id], err
}

// Refs asks a remote likewise what the refs of some patterns are at.
func Refs(ctx context.Context, dir, address string, patterns ...string) (map[string]string, error) {
	r := remote{name: shown(address), url: address, repo: dir, git: git.At(dir)}
	return r.refs(ctx, patterns...)
}

// refs is what the refs of some patterns are at.
func (r *remote) refs(ctx context.Context, patterns ...string) (map[string]string, error) {
	out, err := r.run(ctx, nil, nil, slices.Concat([]string{"ls-remote", "--refs", "--end-of-options", r.url}, patterns)...)
	if err != nil {
		return nil, &UnreachableError{r.name, err}
	}
	found := map[string]string{}
	for line := range strings.Lines(out) {
		sha, ref, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok && isObject().MatchString(sha) {
			found[ref] = sha
		}
	}
	return found, nil
}

// fetch brings what a ref is at into our repository, whole: depth 1 is that commit and
// nothing before it. A git that outlives who started it may be at the same ref.
func (r *remote) fetch(ctx context.Context, ref string, tips []string, args ...string) error {
	args = slices.Concat([]string{"fetch", "-q", "--no-tags", "--no-write-fetch-head"}, args)
	for _, tip := range tips {
		if tip != "" {
			args = append(args, "--negotiation-tip="+tip)
		}
	}
	args = append(args, "--end-of-options", r.url, "+"+ref+":"+ref)
	for n, pause := 1, firstPause; ; n, pause = n+1, 4*pause {
		_, err := r.run(ctx, nil, nil, args...)
		switch {
		case err == nil:
			return nil
		case namesOtherwise(err):
			return &FormatError{r.name, r.format}
		case !strings.Contains(err.Error(), "cannot lock ref"):
			if now, lookErr := r.look(ctx, ref); lookErr != nil || now == "" || brokeOff(err) {
				return &UnreachableError{r.name, err}
			}
			return unread(ctx, err)
		case n == tries:
			return &BusyError{r.repo, err}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// brokeOff tells whether the line to a remote broke while it was speaking, which says
// nothing of what it has to say.
func brokeOff(err error) bool {
	for _, word := range []string{"hung up", "early EOF", "unexpected disconnect", "reset by peer", "roken pipe", "RPC failed", "timed out", "Could not read from remote"} {
		if strings.Contains(err.Error(), word) {
			return true
		}
	}
	return false
}

// tries is how often it is tried to push or to fetch, how long the pause before the
// second try is, and how long one is at most.
const (
	tries      = 4
	firstPause = 200 * time.Millisecond
	longest    = 30 * time.Second
)

// move is a ref on its way from one value to another; empty: there is none.
type move struct{ ref, from, to string }

// push moves the ref of a run from one value to another, if nobody else has moved it, and
// its branch with it, if one is given: both or none. It is tried until it is clear what
// came of it, or tries are over. It is an *UnsureError where it may have come through,
// and nobody can say.
func (r *remote) push(ctx context.Context, run string, m move, branch *move, more []string) error {
	moves := []move{m}
	if branch != nil {
		moves = append(moves, *branch)
	}
	for n, pause := 1, firstPause; ; n, pause = n+1, min(4*pause, longest) {
		err := r.pushOnce(ctx, run, moves, more)
		var away *UnreachableError
		var unsure *UnsureError
		if !errors.As(err, &away) && !errors.As(err, &unsure) || ctx.Err() != nil || n == r.tries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

// pushOnce is one try, and a look at what came of it.
func (r *remote) pushOnce(ctx context.Context, run string, moves []move, more []string) error {
	args := []string{"push", "--progress", "--no-verify"}
	if len(moves) > 1 {
		args = append(args, "--atomic")
	}
	var specs, refs []string
	for _, m := range moves {
		args = append(args, "--force-with-lease="+m.ref+":"+m.from)
		specs, refs = append(specs, m.to+":"+m.ref), append(refs, m.ref)
	}
	_, err := r.run(ctx, nil, more, slices.Concat(args, []string{"--end-of-options", r.url}, specs)...)
	if err == nil {
		return nil
	}
	now, lookErr := r.refs(ctx, refs...)
	m, at := moves[0], now[moves[0].ref]
	switch {
	case ctx.Err() != nil, lookErr != nil: // it cannot be reached, or nobody waits for that
		return &UnsureError{Run: run, Remote: r.name, Err: err}
	case at == m.to: // only its answer was lost
		return nil
	case at != m.from:
		return &TakenError{Run: run, Remote: r.name, By: r.cardOf(ctx, m.ref, strings.TrimPrefix(m.ref, Prefix)), Now: at}
	case len(moves) > 1 && now[moves[1].ref] != moves[1].from:
		return &BranchError{Remote: r.name, Branch: strings.TrimPrefix(moves[1].ref, heads), Now: now[moves[1].ref]}
	case refuses(err):
		return &RefusedError{r.name, reason(err)}
	case namesOtherwise(err):
		return &FormatError{r.name, r.format}
	}
	return &UnreachableError{r.name, err}
}

// refuses tells whether the remote has heard a push and said no to it.
func refuses(err error) bool {
	for _, word := range []string{"[remote rejected]", "hook declined", "[remote failure]"} {
		if strings.Contains(err.Error(), word) {
			return true
		}
	}
	return false
}

// namesOtherwise tells whether git has found that two repositories name their objects in
// different ways.
func namesOtherwise(err error) bool {
	return strings.Contains(err.Error(), "mismatched algorithms") || strings.Contains(err.Error(), "repository's hash algorithm")
}

// reason is what a remote says for its no.
func reason(err error) string {
	var said []string
	for line := range strings.FieldsFuncSeq(err.Error(), func(c rune) bool { return c == '\n' || c == '\r' }) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "remote: "); ok {
			said = append(said, strings.TrimSpace(rest))
		}
	}
	if len(said) == 0 {
		return err.Error()
	}
	return strings.Join(said, " ")
}

// cardOf is the card of a run as the remote has it; nil where it cannot be read.
func (r *remote) cardOf(ctx context.Context, ref, id string) *Card {
	c, err := r.fetchCard(ctx, ref, id)
	if err != nil {
		return nil
	}
	return &c
}

// fetchCard brings a ref here, and reads its card.
func (r *remote) fetchCard(ctx context.Context, ref, id string) (Card, error) {
	if err := r.fetch(ctx, ref, nil); err != nil {
		return Card{}, err
	}
	out, err := r.cardBlob(ctx, ref, nil)
	if err != nil {
		return Card{}, err
	}
	return readCard(out, id)
}

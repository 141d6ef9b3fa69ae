package carry

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
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
}

// openRemote finds the remote that a person means: one of the repository, a URL or a
// folder.
func openRemote(ctx context.Context, tree *git.Tree, records, meant string) (*remote, error) {
	r := &remote{name: meant, repo: filepath.Join(records, "carry")}
	if !strings.HasPrefix(meant, "-") {
		r.url = address(ctx, tree, meant)
	}
	if r.url == "" {
		return nil, &UnknownError{fmt.Sprintf("%q is no remote", meant), "\"git remote -v\" lists those of the repository; a URL or a folder is one, too"}
	}
	if u, err := url.Parse(r.name); err == nil && u.User != nil {
		r.name = u.Redacted()
	}
	r.git = tree.Program().In(r.repo)
	return r, r.make(ctx, tree)
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
	version, extension := 0, ""
	if r.format != "sha1" {
		version, extension = 1, "[extensions]\n\tobjectFormat = "+r.format+"\n"
	}
	for _, dir := range []string{"objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(r.repo, filepath.FromSlash(dir)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range map[string]string{
		"config":                  fmt.Sprintf(settings, version, extension),
		"HEAD":                    "ref: refs/heads/none\n",
		"objects/info/alternates": strings.TrimSuffix(string(out), "\n") + "\n",
	} {
		if err := files.Replace(filepath.Join(r.repo, filepath.FromSlash(name)), []byte(text), 0o600, files.NoSync); err != nil {
			return fmt.Errorf("make a repository to carry with: %w", err)
		}
	}
	return nil
}

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
	if len(more) > 0 {
		var dirs []string
		for _, dir := range more {
			if strings.ContainsAny(dir, `"`+string(os.PathListSeparator)) {
				dir = git.QuoteConfig(dir)
			}
			dirs = append(dirs, dir)
		}
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+strings.Join(dirs, string(os.PathListSeparator)))
	}
	out, err := r.git.RunWith(ctx, git.Command{Env: env, Stdin: stdin}, args...)
	return string(out), err
}

// look is what a ref is at; empty where there is none.
func (r *remote) look(ctx context.Context, ref string) (string, error) {
	all, err := r.refs(ctx, ref)
	return all[ref], err
}

// refs is what the refs of a pattern are at.
func (r *remote) refs(ctx context.Context, pattern string) (map[string]string, error) {
	out, err := r.run(ctx, nil, nil, "ls-remote", "--refs", "--end-of-options", r.url, pattern)
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

// tries is how often it is tried to push or to fetch, and how long the pause before the
// second try is.
const (
	tries      = 4
	firstPause = 200 * time.Millisecond
)

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
			if now, lookErr := r.look(ctx, ref); lookErr != nil || now == "" {
				return &UnreachableError{r.name, err}
			}
			return &ForeignError{What: err.Error()}
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

// push moves the ref of a run from one value to another, if nobody else has moved it. It
// is an *UnsureError where it may have come through, and nobody can say.
func (r *remote) push(ctx context.Context, run, ref, from, to string, more []string) error {
	for n, pause := 1, firstPause; ; n, pause = n+1, 4*pause {
		_, err := r.run(ctx, nil, more, "push", "--progress", "--no-verify", "--force-with-lease="+ref+":"+from, "--end-of-options", r.url, to+":"+ref)
		if err == nil {
			return nil
		}
		now, lookErr := r.look(ctx, ref)
		switch {
		case ctx.Err() != nil:
			return &UnsureError{Run: run, Remote: r.name, Err: context.Cause(ctx)}
		case lookErr != nil: // it cannot be reached: once more
			err = &UnsureError{Run: run, Remote: r.name, Err: err}
		case now == to: // only its answer was lost
			return nil
		case now != from:
			return &TakenError{Run: run, Remote: r.name, By: r.cardOf(ctx, ref, strings.TrimPrefix(ref, Prefix)), Now: now}
		case refuses(err):
			return &RefusedError{r.name, reason(err)}
		case namesOtherwise(err):
			return &FormatError{r.name, r.format}
		default:
			err = &UnreachableError{r.name, err}
		}
		if n == tries {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return &UnsureError{Run: run, Remote: r.name, Err: context.Cause(ctx)}
		}
	}
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
	if r.fetch(ctx, ref, nil) != nil {
		return nil
	}
	out, err := r.run(ctx, nil, nil, "cat-file", "blob", ref+":"+cardName)
	if err != nil {
		return nil
	}
	c, err := readCard([]byte(out), id)
	if err != nil {
		return nil
	}
	return &c
}

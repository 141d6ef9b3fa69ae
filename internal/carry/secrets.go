package carry

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/redact"
)

// lookedInto is how large a file may be that is looked into for secrets, and how much
// is looked into at a time.
const (
	lookedInto = 8 << 20
	atATime    = 64 << 20
)

// span is which checkpoints are looked at: not those up to seen, which have been; and
// those up to kept are what the run has kept by itself. Empty: there is none.
type span struct{ seen, kept string }

// noSecrets refuses checkpoints with files that nobody has committed and that seem to
// hold secrets: by their names, or because a secret that we know stands in them. What
// the run had kept before tells whether taking them away now helps.
func (r *remote) noSecrets(ctx context.Context, card Card, s span, hide *redact.Redactor, more []string) error {
	known := []string{card.Head}
	if s.seen != "" {
		known = append(known, s.seen)
	}
	told, err := r.secrets(ctx, card.Checkpoint, known, hide, more)
	if err != nil || len(told) == 0 {
		return err
	}
	if s.kept == "" {
		return &SecretError{told, false}
	}
	before, err := r.secrets(ctx, s.kept, known, hide, more)
	if err != nil {
		return err
	}
	return &SecretError{told, len(before) > 0}
}

// secrets are the files that seem to hold some in the checkpoints up to one, but for what
// is in others that are known.
func (r *remote) secrets(ctx context.Context, upTo string, known []string, hide *redact.Redactor, more []string) ([]string, error) {
	out, err := r.run(ctx, nil, more, slices.Concat([]string{"rev-list", "--objects", upTo, "--not"}, known, []string{"--"})...)
	if err != nil {
		return nil, fmt.Errorf("list what would leave: %w", err)
	}
	names := map[string][]string{}
	var objects []string
	for line := range strings.Lines(out) {
		if sha, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " "); ok && name != "" {
			names[sha] = []string{name}
			objects = append(objects, sha)
		}
	}
	if len(objects) == 0 {
		return nil, nil
	}
	if err := r.otherNames(ctx, upTo, known, more, names); err != nil {
		return nil, err
	}
	var told []string
	err = r.each(ctx, objects, more, func(sha string, size int64, content func() []byte) {
		if i := slices.IndexFunc(names[sha], named); i >= 0 {
			told = append(told, names[sha][i])
		} else if size <= lookedInto && hide.Text(string(content())) != string(content()) {
			told = append(told, names[sha][0])
		}
	})
	slices.Sort(told)
	return slices.Compact(told), err
}

// otherNames adds to the names of files those that the same content has elsewhere.
func (r *remote) otherNames(ctx context.Context, upTo string, known, more []string, names map[string][]string) error {
	args := []string{"log", "-z", "--format=", "--raw", "--no-abbrev", "--no-renames", "--root", "-m", "--first-parent", upTo, "--not"}
	out, err := r.run(ctx, nil, more, slices.Concat(args, known, []string{"--"})...)
	if err != nil {
		return fmt.Errorf("name what would leave: %w", err)
	}
	list := strings.Split(out, "\x00")
	for i := 1; i < len(list); i += 2 {
		what := strings.Fields(list[i-1]) // :mode mode object object kind
		if len(what) != 5 || !strings.HasPrefix(what[0], ":") {
			return fmt.Errorf("git log: %q", list[i-1])
		}
		if sha := what[3]; names[sha] != nil {
			names[sha] = append(names[sha], list[i])
		}
	}
	return nil
}

// named tells whether a file is called as those with secrets are.
func named(name string) bool {
	base := strings.ToLower(path.Base(name))
	for _, harmless := range []string{".example", ".sample", ".template", ".dist", ".pub"} {
		if strings.HasSuffix(base, harmless) {
			return false
		}
	}
	return path.Ext(base) == ".env" || base == ".envrc" || strings.HasPrefix(base, ".env.") || base == ".netrc" || base == ".git-credentials" || base == ".pgpass" ||
		strings.HasPrefix(base, "id_rsa") || strings.HasPrefix(base, "id_ed25519") || strings.HasPrefix(base, "id_ecdsa") ||
		slices.Contains([]string{".pem", ".key", ".p12", ".pfx", ".jks", ".keystore"}, path.Ext(base))
}

// each gives the blobs among objects, many at a time. What is too large to be looked
// into is given without its content.
func (r *remote) each(ctx context.Context, objects, more []string, do func(sha string, size int64, content func() []byte)) error {
	out, err := r.run(ctx, []byte(strings.Join(objects, "\n")+"\n"), more, "cat-file", "--batch-check")
	if err != nil {
		return err
	}
	var group []string
	held := int64(0)
	give := func() error {
		err := r.contents(ctx, group, more, func(sha string, b []byte) {
			do(sha, int64(len(b)), func() []byte { return b })
		})
		group, held = nil, 0
		return err
	}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) != 3 || f[1] != "blob" {
			continue
		}
		size, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return fmt.Errorf("git cat-file: %w", err)
		}
		if size > lookedInto {
			do(f[0], size, nil)
			continue
		}
		if held+size > atATime {
			if err := give(); err != nil {
				return err
			}
		}
		group, held = append(group, f[0]), held+size
	}
	return give()
}

// contents gives what blobs hold, all of them in memory at a time.
func (r *remote) contents(ctx context.Context, objects, more []string, do func(sha string, b []byte)) error {
	if len(objects) == 0 {
		return nil
	}
	out, err := r.run(ctx, []byte(strings.Join(objects, "\n")+"\n"), more, "cat-file", "--batch")
	if err != nil {
		return err
	}
	for range objects {
		head, rest, _ := strings.Cut(out, "\n")
		f := strings.Fields(head)
		if len(f) != 3 || f[1] != "blob" {
			return fmt.Errorf("git cat-file: %q", head)
		}
		size, err := strconv.Atoi(f[2])
		if err != nil || size+1 > len(rest) {
			return fmt.Errorf("git cat-file: %q", head)
		}
		do(f[0], []byte(rest[:size]))
		out = rest[size+1:]
	}
	return nil
}

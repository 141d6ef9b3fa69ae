package carry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/journal"
)

// What comes in a ref may be anybody's. So it is looked at as a whole before a file of
// it is written: what it is called, what kind it is, how large it is and how much there
// is of it.
const (
	mostFiles = 200_000
	mostTotal = 4 << 30
	mostMeta  = 64 << 20 // the card, run.json and what lies beside
	mostChunk = 256 << 20
)

// arrival is a state as it was found.
type arrival struct {
	card  Card
	at    string
	files []found
}

type found struct {
	name, object string
	size         int64
}

// listing is the files that a commit of a state holds, wherever git finds it.
func (r *remote) listing(ctx context.Context, at string, more []string) ([]found, error) {
	out, err := r.lists(ctx, more, "ls-tree", "-r", "-z", "-l", "--full-tree", at)
	if errors.Is(err, errTooMuch) {
		return nil, err
	}
	if err != nil {
		return nil, unread(ctx, err)
	}
	var list []found
	total := int64(0)
	for line := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		what, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(what)
		if !ok || len(fields) != 4 {
			return nil, &ForeignError{What: "its list of files cannot be read"}
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		switch {
		case fields[0] != "100644" || fields[1] != "blob" || err != nil:
			return nil, &ForeignError{What: fmt.Sprintf("%q is no plain file", name)}
		case !travels(name):
			return nil, &ForeignError{What: fmt.Sprintf("%q has no place in a run", name)}
		case size > mostOf(name):
			return nil, &ForeignError{What: fmt.Sprintf("%q is too large: %d bytes", name, size)}
		}
		if total += size; total > mostTotal || len(list) == mostFiles {
			return nil, &ForeignError{What: "there is too much of it"}
		}
		list = append(list, found{name, fields[2], size})
	}
	return list, nil
}

// read reads what a commit of our repository holds.
func (r *remote) read(ctx context.Context, at, id string) (*arrival, error) {
	a, err := r.records(ctx, at, id)
	if err != nil {
		return nil, err
	}
	for _, sha := range []string{a.card.Head, a.card.Checkpoint} { // nothing that is not part of the state
		if sha == "" {
			continue
		}
		if _, err := r.run(ctx, nil, nil, "merge-base", "--is-ancestor", sha, at); err != nil {
			return nil, &ForeignError{What: "what its card names does not belong to it"}
		}
	}
	return a, nil
}

// records is read for who wants the records alone: whether what its card names belongs
// to it is not looked at.
func (r *remote) records(ctx context.Context, at, id string) (*arrival, error) {
	a := &arrival{at: at}
	var err error
	if a.files, err = r.listing(ctx, at, nil); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(a.files, func(f found) bool { return f.name == cardName })
	if i < 0 {
		return nil, &ForeignError{What: "it has no card"}
	}
	b, err := r.blob(ctx, a.files[i].object)
	if err != nil {
		return nil, err
	}
	a.card, err = readCard(b, id)
	return a, err
}

// travels tells whether a file may be called so in a state.
func travels(name string) bool {
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if p == "" || p == "." || p == ".." || strings.HasPrefix(p, ".") || len(p) > 255 || strings.ContainsAny(p, "\\:\x7f") || strings.ContainsFunc(p, func(c rune) bool { return c < ' ' }) {
			return false
		}
	}
	switch parts[0] {
	case cardName, metaName:
		return len(parts) == 1
	case journalDir:
		_, err := strconv.ParseUint(parts[len(parts)-1], 10, 32)
		return len(parts) == 2 && err == nil && len(parts[1]) == 8
	case besideDir:
		return len(parts) == 2
	case attemptsDir:
		return len(parts) >= 3 && len(parts) <= 6
	}
	return false
}

func mostOf(name string) int64 {
	switch top, _, _ := strings.Cut(name, "/"); top {
	case journalDir:
		return mostChunk
	case attemptsDir:
		return mostNewest
	}
	return mostMeta
}

func (r *remote) blob(ctx context.Context, object string) ([]byte, error) {
	out, err := r.run(ctx, nil, nil, "cat-file", "blob", object)
	return []byte(out), err
}

// luggage is what of it a next runner goes by.
func (a *arrival) luggage(ctx context.Context, r *remote) (journal.Luggage, error) {
	l := journal.Luggage{ID: a.card.Run, Name: a.card.Name, Beside: map[string][]byte{}}
	pieces := map[string][]byte{}
	err := a.each(ctx, r, []string{metaName, besideDir, journalDir}, func(name string, b []byte) error {
		switch top, rest, _ := strings.Cut(name, "/"); top {
		case metaName:
			l.Meta = b
		case besideDir:
			l.Beside[rest] = b
		case journalDir:
			pieces[name] = b
		}
		return nil
	})
	if err != nil {
		return l, err
	}
	for i, n := range a.card.Chunks {
		b := pieces[chunkName(i)]
		if len(b) != n {
			return l, &ForeignError{What: "its journal is not that of its card"}
		}
		l.Journal = append(l.Journal, b...)
	}
	if len(pieces) != len(a.card.Chunks) || sumOf(l.Journal) != a.card.Sum || !bytes.HasSuffix(l.Journal, []byte("\n")) {
		return l, &ForeignError{What: "its journal is not that of its card"}
	}
	return l, nil
}

// unpack writes the files of the attempts into the folder of a run that is being made.
func (a *arrival) unpack(ctx context.Context, r *remote, dir string) error {
	tree, err := files.OpenTree(dir)
	if err != nil {
		return err
	}
	defer tree.Close()
	err = a.each(ctx, r, []string{attemptsDir}, func(name string, b []byte) error {
		name = filepath.FromSlash(name)
		if err := tree.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		return tree.WriteFile(name, b, 0o600)
	})
	if err != nil {
		return err
	}
	return files.SyncDir(dir)
}

// each gives the files that are called so, or are in folders called so, with what they
// hold. Many are read at a time, since git is a process.
func (a *arrival) each(ctx context.Context, r *remote, tops []string, do func(name string, b []byte) error) error {
	var names, objects []string
	held := int64(0)
	give := func() (failed error) {
		at := 0
		err := r.contents(ctx, objects, nil, func(_ string, b []byte) {
			if failed == nil {
				failed = do(names[at], b)
			}
			at++
		})
		names, objects, held = nil, nil, 0
		return errors.Join(err, failed)
	}
	for _, f := range a.files {
		if top, _, _ := strings.Cut(f.name, "/"); !slices.Contains(tops, top) {
			continue
		}
		if held+f.size > atATime {
			if err := give(); err != nil {
				return err
			}
		}
		names, objects, held = append(names, f.name), append(objects, f.object), held+f.size
	}
	return give()
}

// cardBlob reads the card of a commit, without looking at what it says.
func (r *remote) cardBlob(ctx context.Context, at string, more []string) ([]byte, error) {
	name := at + ":" + cardName
	sizes, err := r.sizes(ctx, []string{name}, more)
	if err != nil {
		return nil, err
	}
	if err := cardFits(sizes[0]); err != nil {
		return nil, err
	}
	out, err := r.run(ctx, nil, more, "cat-file", "blob", name)
	return []byte(out), err
}

// sizes is how large files are, by the names that git has for them; -1: that is none.
func (r *remote) sizes(ctx context.Context, names, more []string) ([]int64, error) {
	out, err := r.run(ctx, []byte(strings.Join(names, "\n")+"\n"), more, "cat-file", "--batch-check=%(objecttype) %(objectsize)")
	if err != nil {
		return nil, err
	}
	list := make([]int64, 0, len(names))
	for line := range strings.Lines(out) {
		size := int64(-1)
		if n, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "blob "); ok {
			if size, err = strconv.ParseInt(n, 10, 64); err != nil {
				size = -1
			}
		}
		list = append(list, size)
	}
	if len(list) != len(names) {
		return nil, fmt.Errorf("git cat-file: %d lines for %d names", len(list), len(names))
	}
	return list, nil
}

// lists runs a git that lists files, and ends one that does not come to its end.
func (r *remote) lists(ctx context.Context, more []string, args ...string) (string, error) {
	ctx, enough := context.WithCancelCause(ctx)
	defer enough(nil)
	out := &bounded{most: mostListing, enough: enough}
	env := append([]string{"GIT_DIR=" + r.repo, protocols}, alsoIn(more)...)
	_, err := r.git.RunWith(ctx, git.Command{Env: env, Reader: out}, args...)
	if out.over {
		return "", errTooMuch
	}
	return out.String(), err
}

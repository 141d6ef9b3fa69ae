package checkpoint

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// leaf is one file of a tree, by its path from the top.
type leaf struct{ mode, object, path string }

// What a leaf can be, beside a plain file and a gitlink.
const (
	executable = "100755"
	symlink    = git.SymlinkMode
)

// leaves lists the files of a tree.
func (r *shadow) leaves(ctx context.Context, tree string) ([]leaf, error) {
	out, err := r.run(ctx, git.Command{}, "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	var list []leaf
	for _, line := range git.SplitNUL(out) {
		what, path, ok := strings.Cut(line, "\t")
		fields := strings.Fields(what)
		if !ok || len(fields) != 3 {
			return nil, fmt.Errorf("git ls-tree: a line of unknown kind: %q", line)
		}
		list = append(list, leaf{mode: fields[0], object: fields[2], path: path})
	}
	return list, nil
}

// read gives what each leaf holds, in their order, and refuses what is not what
// its name says.
func (r *shadow) read(ctx context.Context, leaves []leaf, take func(leaf, []byte) error) error {
	batch := &batch{take: take, sum: func(b []byte) string { return r.sum(blob, b) }}
	var names bytes.Buffer
	for _, l := range leaves {
		if l.mode == git.Gitlink {
			continue
		}
		batch.due = append(batch.due, l)
		names.WriteString(l.object + "\n")
	}
	if len(batch.due) == 0 {
		return nil
	}
	_, err := r.run(ctx, git.Command{Stdin: names.Bytes(), Reader: batch}, "cat-file", "--batch")
	switch {
	case batch.err != nil:
		return batch.err
	case err != nil:
		return err
	case len(batch.due) > 0:
		return fmt.Errorf("git cat-file: %s is missing", batch.due[0].path)
	}
	return nil
}

// blob is what git calls the content of a file.
const blob = "blob"

// sum is the name that git has for a content.
func (r *shadow) sum(kind string, content []byte) string {
	var h hash.Hash = sha1.New()
	if r.format == "sha256" {
		h = sha256.New()
	}
	fmt.Fprintf(h, "%s %d\x00", kind, len(content))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

// holds tells whether a file on disk is what a leaf says.
func (r *shadow) holds(root *os.Root, l leaf, info fs.FileInfo) bool {
	switch {
	case l.mode == symlink:
		target, err := root.Readlink(l.path)
		return err == nil && info.Mode()&fs.ModeSymlink != 0 && r.sum(blob, []byte(target)) == l.object
	case !info.Mode().IsRegular(), (info.Mode().Perm()&0o100 != 0) != (l.mode == executable):
		return false
	}
	f, err := files.Open(root, l.path)
	if err != nil {
		return false
	}
	defer f.Close()
	content, err := files.All(context.Background(), f, info.Size())
	return err == nil && r.sum(blob, content) == l.object
}

// batch takes in what "git cat-file --batch" prints: for each object a line with
// its name, kind and size, its content, and a newline.
type batch struct {
	due  []leaf
	take func(leaf, []byte) error
	sum  func([]byte) string

	rest []byte // what is not a whole object yet
	need int    // how long that must be before it is worth looking again
	err  error
}

func (b *batch) Write(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	b.rest = append(b.rest, p...)
	for b.err == nil && len(b.rest) > 0 && len(b.rest) >= b.need && b.next() {
	}
	return len(p), b.err
}

// next hands on the first object, if it is whole.
func (b *batch) next() bool {
	line, body, ok := bytes.Cut(b.rest, []byte{'\n'})
	if !ok {
		b.need = 0
		return false
	}
	if len(b.due) == 0 {
		b.err = fmt.Errorf("git cat-file: more than was asked for: %q", line)
		return false
	}
	l := b.due[0]
	var name, kind string
	var size int
	if _, err := fmt.Sscanf(string(line), "%s %s %d", &name, &kind, &size); err != nil || name != l.object || kind != "blob" {
		b.err = fmt.Errorf("git cat-file: what %s held is missing: %q", l.path, line)
		return false
	}
	if len(body) <= size {
		b.need = len(line) + 1 + size + 1
		return false
	}
	content := body[:size]
	if b.sum(content) != l.object {
		b.err = fmt.Errorf("what %s held was tampered with: %s is not what its name says", l.path, l.object)
		return false
	}
	b.err = b.take(l, content)
	b.due, b.rest, b.need = b.due[1:], body[size+1:], 0
	return b.err == nil
}

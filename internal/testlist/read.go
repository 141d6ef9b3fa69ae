package testlist

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Kind is how the name of a file with lists ends.
const Kind = ".tests.jsonl"

// maxFile is more than the looks of one gate in one attempt come to.
const maxFile = 64 << 20

// Read is what the gates of an attempt saw of tests, by the folder of the attempt:
// those of the tree that is judged first, each gate in the work tree before the clean
// checkout, and what was looked at again behind it. It is empty where nobody has
// kept any. What cannot be read is an error, and the rest is there all the same.
func Read(ctx context.Context, dir string) ([]Look, error) {
	root, below := files.Above(filepath.Join(dir, "gates"), 4) // no link leads out of the folder of all runs
	tree, err := files.OpenTree(root)
	if files.Absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	entries, err := fs.ReadDir(tree.FS(), filepath.ToSlash(below))
	if err != nil && !files.Absent(err) {
		return nil, err
	}
	var list []Look
	var wrong []error
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), Kind) {
			continue
		}
		looks, err := readFile(ctx, tree, path.Join(filepath.ToSlash(below), e.Name()))
		list = append(list, looks...)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("read %s: %s", filepath.Join(dir, "gates", e.Name()), files.Cause(err)))
		}
	}
	slices.SortStableFunc(list, func(a, b Look) int {
		return cmp.Or(cmp.Compare(later(a), later(b)), cmp.Compare(a.Gate, b.Gate), cmp.Compare(clean(a), clean(b)), cmp.Compare(a.With, b.With))
	})
	return list, errors.Join(wrong...)
}

func readFile(ctx context.Context, tree *os.Root, name string) ([]Look, error) {
	f, err := files.Open(tree, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := files.All(ctx, f, maxFile)
	if err != nil {
		return nil, err
	}
	return decode(b)
}

func later(l Look) int { return min(1, len(l.With)) }

func clean(l Look) int {
	if l.Where == loop.InClean {
		return 1
	}
	return 0
}

// begins is how a line begins. Nothing in a line looks so: what a test says has its
// quotes escaped.
var begins = []byte(`{"gate":`)

// decode reads the lines of a file. One has no end when its runner died, and the next
// runner goes on in it.
func decode(b []byte) (list []Look, err error) {
	for line := range bytes.Lines(b) {
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			break
		}
		if at := bytes.LastIndex(line, begins); at > 0 {
			line = line[at:]
		}
		var l Look
		if wrong := json.Unmarshal(line, &l); wrong != nil {
			err = errors.Join(err, wrong)
			continue
		}
		list = append(list, l)
	}
	return list, err
}

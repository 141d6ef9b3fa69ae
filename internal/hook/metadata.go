package hook

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// How much a hook may say of an iteration: it is kept in the journal, and read with
// it.
const (
	maxNames = 32
	maxName  = 100
	maxValue = 4 << 10

	// maxFile is more than all that may be kept, so that a file of names that are said
	// again and again is still read.
	maxFile = 256 << 10
)

// metadata is what a command wrote into the file that it was given, a name and its
// value on each line, and a warning of what could not be read. A command that wrote
// nothing has nothing to say. The file is gone then.
func metadata(p Point, path string) (map[string]string, *loop.Warning) {
	if path == "" {
		return nil, nil
	}
	defer os.RemoveAll(path) //nolint:errcheck // its folder is the run's, and goes with it
	// The command may have been in a sandbox: a link of its leads to what it could not
	// read, and the journal would tell.
	b, err := files.Read(context.Background(), filepath.Dir(path), filepath.Base(path), maxFile)
	if files.Absent(err) {
		return nil, nil
	}
	var out *files.OutsideError
	if errors.As(err, &out) {
		return nil, &loop.Warning{Text: fmt.Sprintf("metadata of the %s hook is left out: it is a link", p), Hint: metadataUsage}
	}
	if err != nil {
		return nil, &loop.Warning{
			Text: fmt.Sprintf("metadata of the %s hook is left out: %s", p, files.Cause(err)), Hint: metadataUsage,
		}
	}
	said := map[string]string{}
	var wrong []string
	for i, line := range strings.Split(text.Valid(string(b)), "\n") {
		line = strings.TrimSuffix(line, "\r")
		name, value, ok := strings.Cut(line, "=")
		switch name = strings.TrimSpace(name); {
		case strings.TrimSpace(line) == "":
		case !ok || name == "":
			wrong = append(wrong, fmt.Sprintf("line %d (%s)", i+1, text.Shorten(text.Line(line), maxShownLine)))
		default:
			said[name] = value
		}
	}
	if len(wrong) == 0 {
		return said, nil
	}
	return said, &loop.Warning{
		Text: fmt.Sprintf("metadata of the %s hook is left out: %s", p, text.FirstFew(wrong)), Hint: metadataUsage,
	}
}

const (
	metadataUsage = "write a name, = and its value on each line of the file $REFRAIN_METADATA"
	maxShownLine  = 40
)

// Bounded is what may be kept of metadata, and a warning when that is not all.
func Bounded(p Point, said map[string]string) (map[string]string, *loop.Warning) {
	var kept map[string]string
	var left []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		value := said[name]
		if name == "" || len(name) > maxName || len(value) > maxValue || len(kept) == maxNames {
			left = append(left, text.Shorten(text.Line(name), maxName))
			continue
		}
		if kept == nil {
			kept = map[string]string{}
		}
		kept[text.Valid(name)] = text.Valid(value)
	}
	if len(left) == 0 {
		return kept, nil
	}
	return kept, &loop.Warning{
		Text: fmt.Sprintf("metadata of the %s hook is left out: %s", p, text.FirstFew(left)),
		Hint: fmt.Sprintf("give at most %d names of up to %d bytes, and values of up to %d", maxNames, maxName, maxValue),
	}
}

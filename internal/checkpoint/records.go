package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
)

// record is a path of which git status has something to say.
type record struct {
	path   string // from the top; of a repository inside the tree it ends with a slash
	index  byte   // how the index differs from the last checkpoint: '.' not at all, '?' it has no such path
	file   byte   // how the file differs from the index
	linked bool   // the index has a commit there
}

// differs tells whether the file is other than the index says.
func (r record) differs() bool { return r.file != '.' }

// status asks git what differs from the index of the store, and which files of
// rules are ignored themselves. Of a repository inside the tree only the commit
// is compared.
func (s *Store) status(ctx context.Context) (records []record, hidden []string, err error) {
	out, err := s.git(ctx, git.Command{}, "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching",
		"--no-renames", "--ignore-submodules=dirty")
	if err != nil {
		return nil, nil, err
	}
	records, hidden, err = parseRecords(out)
	if err != nil {
		return nil, nil, fmt.Errorf("git status in %s: %w", s.origin.top, err)
	}
	return records, hidden, nil
}

// parseRecords reads the second porcelain format of git status. Of what is
// ignored it gives the files of rules.
func parseRecords(out []byte) (records []record, hidden []string, err error) {
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte{0})
		out = rest
		kind, text, _ := strings.Cut(string(line), " ")
		r := record{index: '?', file: '?'}
		switch kind {
		case "#":
			continue
		case "!":
			if path.Base(text) == ruleFile && !strings.HasSuffix(text, "/") {
				hidden = append(hidden, text)
			}
			continue
		case "?":
			r.path = text
		case "1", "u":
			fields := 7 // before the path
			if kind == "u" {
				fields = 9
			}
			parts := strings.SplitN(text, " ", fields+1)
			if len(parts) <= fields || len(parts[0]) != 2 {
				return nil, nil, fmt.Errorf("half a line: %q", line)
			}
			r.index, r.file, r.path = parts[0][0], parts[0][1], parts[fields]
			r.linked = parts[3] == git.Gitlink
		default:
			return nil, nil, fmt.Errorf("a line of unknown kind: %q", line)
		}
		if r.path == "" || r.path == "/" {
			return nil, nil, fmt.Errorf("a line without a path: %q", line)
		}
		records = append(records, r)
	}
	return records, hidden, nil
}

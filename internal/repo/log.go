package repo

import (
	"context"
	"strings"
)

// Since lists the commits that HEAD has and an earlier one had not, the newest
// first, each as its short id and its subject. With no earlier one it is empty.
func (t *Tree) Since(ctx context.Context, earlier string) ([]string, error) {
	if !t.git || earlier == "" {
		return nil, nil
	}
	out, err := t.run(ctx, "log", "--format=%h %s", "--max-count=100", "HEAD", "--not", earlier, "--")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

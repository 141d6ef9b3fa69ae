package git

import (
	"context"
	"strings"
)

// Since lists the commits that HEAD has and an earlier one had not, the newest
// first, each as its short id and its subject; at most a hundred. With no earlier
// one it is every commit, and on a branch without a commit there are none.
func (t *Tree) Since(ctx context.Context, earlier string) ([]string, error) {
	if !t.isGit {
		return nil, nil
	}
	head, err := t.git.line(ctx, Command{}, "rev-parse", "-q", "--verify", "HEAD")
	if err != nil || head == "" {
		return nil, err
	}
	args := []string{"-c", "log.showSignature=false", "log", "--format=%h %s", "--max-count=100", head}
	if earlier != "" {
		args = append(args, "--not", earlier)
	}
	out, err := t.git.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == '\n' }), nil
}

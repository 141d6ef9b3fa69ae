package git

import (
	"context"
	"strings"
)

// Made is the commit that HEAD is, if its message ends with these trailers, and
// the rest of that message. A runner that died after it had made a commit did not
// bring the index to it, which this does.
func (t *Tree) Made(ctx context.Context, trailers []string) (commit, message string, err error) {
	if !t.isGit {
		return "", "", nil
	}
	head, err := t.git.commit(ctx, "HEAD")
	if err != nil || head == "" {
		return "", "", err
	}
	out, err := t.git.Run(ctx, "-c", "log.showSignature=false", "log", "-1", "--format=%P%n%B", head, "--")
	if err != nil {
		return "", "", err
	}
	parents, body, _ := strings.Cut(string(out), "\n")
	message, ok := strings.CutSuffix(strings.TrimSpace(body), strings.Join(trailers, "\n"))
	if !ok {
		return "", "", nil
	}
	before, _, _ := strings.Cut(parents, " ")
	return head, strings.TrimSpace(message), t.followCommit(ctx, before, head, true)
}

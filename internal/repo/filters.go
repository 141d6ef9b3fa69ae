package repo

import (
	"context"
	"errors"
	"strings"
)

// withoutFilters are settings that keep git from running filters, of which ask
// tells what is set: all of them, or those that the repository defines itself,
// where an agent can write. A filter that the user has set up for every
// repository may be needed to tell whether a file has changed.
func withoutFilters(ctx context.Context, ask func(context.Context, command, ...string) ([]byte, error), all bool) ([]setting, error) {
	out, err := ask(ctx, command{}, "config", "--show-scope", "-z", "--get-regexp", `^filter\.`)
	var failed *gitError
	if errors.As(err, &failed) && failed.saidNo() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var off []setting
	seen := map[string]bool{}
	items := splitNUL(out)
	for ; len(items) >= 2; items = items[2:] {
		scope, item := items[0], items[1]
		key, _, _ := strings.Cut(item, "\n")
		end := strings.LastIndexByte(key, '.')
		if name := key[:end]; !seen[name] && strings.Count(key, ".") > 1 && (all || scope == "local" || scope == "worktree") {
			seen[name] = true
			off = append(off, setting{name + ".clean", ""}, setting{name + ".smudge", ""}, setting{name + ".process", ""}, setting{name + ".required", "false"})
		}
	}
	return off, nil
}

// unfiltered is a command that reads files of the user's repository and runs no
// filter that it defines.
func (t *Tree) unfiltered(ctx context.Context) (command, error) {
	off, err := withoutFilters(ctx, func(ctx context.Context, c command, args ...string) ([]byte, error) {
		return t.runIn(ctx, t.dir, c, args...)
	}, false)
	return command{settings: off}, err
}

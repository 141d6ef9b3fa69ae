package git

import (
	"context"
	"strings"
)

// Dirty counts the files that are not committed as they are: changed, staged,
// deleted and new ones, but for ignored ones and the runner's own. Without git
// there are none.
func (t *Tree) Dirty(ctx context.Context) (files int, err error) {
	if !t.isGit {
		return 0, nil
	}
	_, paths, err := t.Status(ctx)
	for _, p := range paths {
		if !t.Own(strings.TrimPrefix(p, t.prefix)) {
			files++
		}
	}
	return files, err
}

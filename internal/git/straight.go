package git

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/project"
)

// straight refuses where a file of the repository that git is about to write, or a
// folder on the way to it, is a link that leads out of the git folder: an agent may
// have put it there, and git would write wherever it leads.
func straight(ctx context.Context, p Program, names ...string) error {
	dir, err := p.folder(ctx)
	if err != nil {
		return err
	}
	common, err := p.line(ctx, Command{}, "rev-parse", "--git-common-dir")
	if err != nil {
		return err
	}
	place := gitPlace{dir: dir, common: project.From(p.dir, filepath.FromSlash(common))}
	for _, name := range names {
		for at := name; at != "."; at = path.Dir(at) {
			for _, root := range []string{place.dir, place.common} {
				file := filepath.Join(root, filepath.FromSlash(at))
				info, err := os.Lstat(file)
				if err == nil && info.Mode()&os.ModeSymlink != 0 && place.leadsOut(file) {
					return &RefusedError{
						what: fmt.Sprintf("%s in the git folder is a link that leads out of it: %s", at, file),
						hint: "remove it, or put the file there that it leads to: git would write to that",
					}
				}
			}
		}
	}
	return nil
}

// writtenFor are the files that git writes when a branch is made or moved.
func writtenFor(branch string) []string {
	ref := branches + branch
	return []string{"HEAD", "logs/HEAD", "packed-refs", ref, strings.Join([]string{"logs", ref}, "/")}
}

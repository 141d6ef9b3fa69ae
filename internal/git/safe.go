package git

import (
	"context"
	"os"
	"path/filepath"
)

// SafeFolders are the folders that the user takes for own ones whoever they belong
// to: what safe.directory says in the settings of the user and of the machine. As
// for git itself, a repository cannot say so of itself. Without git there are none.
func SafeFolders(ctx context.Context) []string {
	nowhere := Command{Env: []string{"GIT_DIR=" + os.DevNull}} // no repository's settings are read
	out, err := newProgram(string(filepath.Separator)).RunWith(ctx, nowhere, "config", "--type=path", "-z", "--get-all", "safe.directory")
	if err != nil {
		return nil
	}
	return SplitNUL(out)
}

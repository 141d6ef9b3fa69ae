package proc

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/fence"
)

// TryFence tries whether a fence of that kind holds on this machine: a shell within it
// must work in a tree, and must not get at what is outside. It has not been run on a
// Mac yet.
func TryFence(ctx context.Context, kind fence.Kind) error {
	wrong := func(err error) error { return &fence.Error{Kind: kind, What: "self-test", Err: err} }
	base, err := os.MkdirTemp("", "refrain-fence-")
	if err != nil {
		return wrong(err)
	}
	defer func() { _ = os.RemoveAll(base) }() // the system tidies up there, too
	if base, err = filepath.EvalSymlinks(base); err != nil {
		return wrong(err)
	}
	tree, home, hidden := filepath.Join(base, "tree"), filepath.Join(base, "home"), filepath.Join(base, "home", "hidden")
	for _, dir := range []string{tree, hidden} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return wrong(err)
		}
	}
	if err := os.WriteFile(filepath.Join(hidden, "secret"), []byte("secret"), 0o600); err != nil {
		return wrong(err)
	}
	k := NewKeeper(NewMark("loop_selftest", tree), nil).Within(&fence.Policy{Kind: kind, Write: []string{tree}, Hide: []string{hidden}})
	defer k.Close()
	var said []string
	exit, err := k.Run(ctx, Spec{
		Argv: []string{"/bin/sh", "-c", tryScript, "sh", tree, home}, Dir: tree, Env: os.Environ(),
		Stdout: Sink{Line: func(line []byte, _ bool) { said = append(said, string(line)) }},
	})
	switch {
	case err != nil:
		return err
	case len(said) > 0:
		return wrong(errors.New(strings.Join(said, "; ")))
	case !exit.Zero():
		return wrong(fmt.Errorf("the shell ended with %v", exit))
	}
	return nil
}

// tryScript prints what should not be.
const tryScript = `
{ mkdir "$1/folder" && echo x >"$1/a" && mv "$1/a" "$1/folder/b" && rm -r "$1/folder"; } 2>/dev/null || echo "no work can be done in the tree"
{ echo x >"$2/new"; } 2>/dev/null && echo "a file can be made in the home"
cat "$2/hidden/secret" >/dev/null 2>&1 && echo "a hidden file can be read"
kill -0 "$PPID" 2>/dev/null && echo "the runner can be signalled"
exit 0
`

func tryFence([]string) int {
	fmt.Fprintln(os.Stderr, "refrain: there is no such helper on this system")
	return 2
}

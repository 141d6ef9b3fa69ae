//go:build unix

package checkpoint

import (
	"io/fs"
	"os"
	"testing"
)

// A secret that was there when the run began does not come back for all to read. Finding 32.
func TestFirstPermissionsComeBack(t *testing.T) {
	t.Parallel()
	wanted := map[string]fs.FileMode{"secret": 0o600, "fixed": 0o400, "group": 0o640, "tool": 0o700, "untracked": 0o600}
	for name, act := range map[string]func(f folder, name string){
		"deleted": func(f folder, name string) { f.Must(os.Remove(f.Path(name))) },
		"written": func(f folder, name string) {
			f.Must(os.Remove(f.Path(name)))
			f.Must(os.WriteFile(f.Path(name), []byte("other"), 0o644))
			f.Must(os.Chmod(f.Path(name), 0o666))
		},
		"opened": func(f folder, name string) { f.Must(os.Chmod(f.Path(name), wanted[name]|0o066)) },
		"closed": func(f folder, name string) { f.Must(os.Chmod(f.Path(name), wanted[name]&0o700)) },
	} {
		for _, again := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				f := newRepository(t)
				for name, mode := range wanted {
					f.Write(name, name)
					f.Must(os.Chmod(f.Path(name), mode))
				}
				f.Git("add", "secret", "fixed", "group", "tool")
				f.Git("commit", "-q", "-m", "all but one")
				s := f.keep(f.open())
				if again { // a runner died before its first checkpoint
					var err error
					s, err = OpenStore(t.Context(), f.open(), s.dir, "")
					f.Must(err)
				}
				first := f.checkpoint(s)
				for name := range wanted {
					act(f, name)
				}
				f.checkpoint(s)
				f.Write("a.txt", "more")
				_, _, err := s.Restore(t.Context(), first)
				f.Must(err)
				for name, mode := range wanted {
					info, err := os.Lstat(f.Path(name))
					f.Must(err)
					if got := info.Mode().Perm(); got != mode {
						t.Errorf("%s has the permissions %o, and had %o", name, got, mode)
					}
					if got := f.Read(name); got != name {
						t.Errorf("%s = %q", name, got)
					}
				}
			})
		}
	}
}

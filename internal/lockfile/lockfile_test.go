package lockfile

import (
	"slices"
	"testing"
)

func TestEveryInstallerIsFound(t *testing.T) {
	for _, i := range installers {
		command, lockfiles := Install(func(name string) bool { return name == i.lockfile || name == i.beside && i.beside != "" })
		if command != i.command || !slices.Equal(lockfiles, []string{i.lockfile}) {
			t.Errorf("with %s: Install = %q, %q; want %q", i.lockfile, command, lockfiles, i.command)
		}
		if !Is(i.lockfile) {
			t.Errorf("%s is no lockfile", i.lockfile)
		}
	}
}

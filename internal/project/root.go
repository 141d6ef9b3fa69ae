package project

import (
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
)

// SettingsFile is a project's own settings, at the root of its work tree.
const SettingsFile = "refrain.toml"

// Root is the work tree that dir belongs to: the nearest folder upward with
// refrain.toml, .refrain or .git, or that has records of runs, else dir itself. It
// looks no further up than the git root: a .refrain that was once left in a home
// folder must not make that the work tree of every repository below it. Records
// are asked because an agent may have deleted all that marked the folder, and the
// next one further up is somebody else's.
//
// What marks a folder is taken for settings, and those name programs. So it must be
// ours, as must be the folder, whose owner can exchange it: else the error is a
// *StrangerError.
func Root(dir string, safe Safe) (string, error) {
	dir, err := folderAt(dir)
	if err != nil {
		return "", err
	}
	for at := range upward(dir) {
		if marks := marksOf(at); len(marks) > 0 || Knows(at) {
			return at, safe.check(dir, at, marks)
		}
	}
	return dir, nil
}

// NewRoot is where the settings of a project that has none yet belong: as Root,
// but outside of a repository it looks nowhere upward, for what lies there is
// somebody else's project.
func NewRoot(dir string, safe Safe) (string, error) {
	dir, err := folderAt(dir)
	if err != nil {
		return "", err
	}
	for at := range upward(dir) {
		if isRepository(filepath.Join(at, ".git")) {
			return Root(dir, safe)
		}
	}
	return dir, safe.check(dir, dir, marksOf(dir))
}

// folderAt is the whole path of a folder that is there.
func folderAt(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the work tree: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("find the work tree: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("find the work tree: %s is not a folder", dir)
	}
	return dir, nil
}

// upward is a folder and those above it in which a work tree is looked for. What
// lies beyond the user's home, a folder of another user's or a mount point is not
// where the user works: these are the last.
func upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		home := userHome()
		info, err := os.Stat(dir)
		for yield(dir) {
			above := filepath.Dir(dir)
			if err != nil || above == dir || home != nil && os.SameFile(info, home) || !files.Trusted(info) {
				return
			}
			next, nextErr := os.Stat(above)
			if nextErr == nil && !files.SameDisk(info, next) {
				return
			}
			dir, info, err = above, next, nextErr
		}
	}
}

// userHome is the folder in which the user's projects are; nil: nobody knows.
func userHome() fs.FileInfo {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	info, err := os.Stat(home)
	if err != nil {
		return nil
	}
	return info
}

// marksOf is what makes a folder a work tree.
func marksOf(dir string) []string {
	var marks []string
	for _, name := range []string{SettingsFile, ".refrain"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			marks = append(marks, filepath.Join(dir, name))
		}
	}
	if git := filepath.Join(dir, ".git"); isRepository(git) {
		marks = append(marks, git)
	}
	return marks
}

// isRepository tells whether a .git is one: an empty folder that some program
// has left does not make its parent a work tree.
func isRepository(git string) bool {
	info, err := os.Stat(git)
	if err != nil {
		return false
	}
	_, err = os.Stat(filepath.Join(git, "HEAD"))
	return !info.IsDir() || err == nil
}

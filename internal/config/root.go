package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/refrain-loop/refrain/internal/project"
)

// Root is the work tree that dir belongs to: the nearest folder upward with
// refrain.toml, .refrain or .git, or that has records of runs, else dir itself. It
// looks no further up than the git root: a .refrain that was once left in a home
// folder must not make that the work tree of every repository below it. Records
// are asked because an agent may have deleted all that marked the folder, and the
// next one further up is somebody else's.
func Root(dir string) (string, error) {
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
	for at := dir; ; at = filepath.Dir(at) {
		for _, mark := range []string{FileName, ".refrain"} {
			if _, err := os.Lstat(filepath.Join(at, mark)); err == nil {
				return at, nil
			}
		}
		if isRepository(filepath.Join(at, ".git")) || project.Knows(at) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return dir, nil
		}
	}
}

// NewRoot is where the settings of a project that has none yet belong: as Root,
// but outside of a repository it looks nowhere upward, for what lies there is
// somebody else's project.
func NewRoot(dir string) (string, error) {
	root, err := Root(dir)
	if err != nil {
		return "", err
	}
	for at := root; ; at = filepath.Dir(at) {
		if isRepository(filepath.Join(at, ".git")) {
			return root, nil
		}
		if at == filepath.Dir(at) {
			return filepath.Abs(dir)
		}
	}
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

// UserFile is where the user's own settings are; "" when nothing tells. As the
// XDG rules want it, a path that is not absolute is passed over.
func UserFile(getenv func(string) string) string {
	folders := []string{getenv("XDG_CONFIG_HOME")}
	if runtime.GOOS == "windows" {
		folders = append(folders, getenv("APPDATA"))
	}
	folders = append(folders, filepath.Join(getenv("HOME"), ".config"))
	for _, folder := range folders {
		if filepath.IsAbs(folder) {
			return filepath.Join(folder, "refrain", "config.toml")
		}
	}
	return ""
}

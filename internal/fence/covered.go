package fence

import (
	"path/filepath"
	"slices"
	"strings"
)

// covered are the folders of which nothing is seen in namespaces but what the policy
// names: temporary files and sockets of everybody are there.
var covered = []string{"/tmp", "/var/tmp", "/run", "/var/run", "/dev/shm"}

// Covered tells whether a path is not there in namespaces unless the policy names it, or
// a folder above it. A home, or a program, that is there must be on the list of what is
// shown.
func Covered(path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return slices.ContainsFunc(covered, func(folder string) bool { return below(path, folder) })
}

// below tells whether a path is the folder or in it.
func below(path, folder string) bool {
	return path == folder || folder == "/" || strings.HasPrefix(path, folder+"/")
}

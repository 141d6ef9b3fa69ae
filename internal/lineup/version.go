package lineup

import (
	"context"
	"encoding/json"
	"os/exec"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// versionOf is the version of an installed program, as far as the place tells where
// it lies: a folder or a file that is called by it, or the package of npm around it.
// The program itself is not asked: that would be a call that nobody wanted. Empty is
// not known.
func versionOf(program string) string {
	path, err := exec.LookPath(program)
	if err != nil {
		return ""
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return ""
	}
	for range 5 {
		if version().MatchString(filepath.Base(path)) {
			return filepath.Base(path)
		}
		if path == filepath.Dir(path) {
			return ""
		}
		path = filepath.Dir(path)
		if v := packaged(path); v != "" {
			return v
		}
	}
	return ""
}

var version = text.NewPattern(`^\d+\.\d+\.\d+$`)

// packaged is the version of the package of npm in a folder.
func packaged(folder string) string {
	const enough = 1 << 20
	data, err := files.ReadFile(context.Background(), filepath.Join(folder, "package.json"), enough)
	var p struct{ Version string }
	if err != nil || json.Unmarshal(data, &p) != nil || !version().MatchString(p.Version) {
		return ""
	}
	return p.Version
}

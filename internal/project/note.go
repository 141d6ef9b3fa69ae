package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// noteName is the file that says whose records a folder holds. In the project
// itself, a file of this name says where its records are.
const noteName = "project.json"

// note is what is known of a project.
type note struct {
	Root     string    `json:"root"`               // where it is
	Trees    []string  `json:"trees"`              // its work trees that had a run
	Identity string    `json:"identity,omitempty"` // of the root
	Others   others    `json:"others,omitempty"`   // the identities of work trees that are not the root
	CopyOf   string    `json:"copy_of,omitempty"`  // the project that it is a copy of
	Since    time.Time `json:"since"`
	Early    []string  `json:"early,omitempty"` // runs that an earlier version made, before records were sealed
	Seal     string    `json:"seal,omitempty"`  // of these: else a run could be made to look like one
}

// others are identities by path.
type others map[string]string

// covers tells whether a path is one of the project's.
func (n note) covers(path string) bool { return path == n.Root || slices.Contains(n.Trees, path) }

// folderName is what a project's folder can be called, and no way out of its place.
var folderName = text.NewPattern(`^[A-Za-z0-9._-]*[A-Za-z0-9_-]$`)

var unusual = text.NewPattern(`[^A-Za-z0-9_-]+`)

// projects is the folder with one folder for each project.
func projects(state string) string { return filepath.Join(state, "projects") }

// places is the folder that leads from paths to projects.
func places(state string) string { return filepath.Join(state, "places") }

// placeFile is where the project of a path is noted.
func placeFile(state, path string) string {
	return filepath.Join(places(state), shortSum(path, 16))
}

func shortSum(text string, bytes int) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:bytes])
}

// identityFile is where the project of a root is noted by what that is known by.
func identityFile(state, identity string) string { return placeFile(state, "identity "+identity) }

// lookUp finds the project that a path is known to belong to.
func lookUp(state, path string) (id string, n note, known bool) {
	id, n, known = noted(state, placeFile(state, path))
	return id, n, known && n.covers(path)
}

// noted is the project that a file among the places leads to.
func noted(state, file string) (id string, n note, known bool) {
	b, err := readSmall(file)
	if err != nil {
		return "", note{}, false
	}
	n, err = readNote(state, string(b))
	return string(b), n, err == nil
}

// readNote reads what is known of a project.
func readNote(state, id string) (note, error) {
	if !folderName().MatchString(id) {
		return note{}, &fs.PathError{Op: "look for project", Path: id, Err: fs.ErrNotExist}
	}
	var n note
	b, err := readSmall(filepath.Join(projects(state), id, noteName))
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	return n, err
}

// replaceFile puts a file in its place in one piece, and on the disk.
func replaceFile(path string, b []byte) error { return files.Replace(path, b, 0o600, files.SyncName) }

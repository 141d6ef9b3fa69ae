package project

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// noteName is the file that says whose records a folder holds. In the project
// itself, a file of this name says where its records are.
const noteName = "project.json"

// note is what is known of a project.
type note struct {
	Root     string    `json:"root"`               // where it is
	Trees    []string  `json:"trees"`              // its work trees that had a run
	Identity string    `json:"identity,omitempty"` // of the root
	Since    time.Time `json:"since"`
	Early    []string  `json:"early,omitempty"` // runs that an earlier version made, before records were sealed
	Seal     string    `json:"seal,omitempty"`  // of these: else a run could be made to look like one
}

// covers tells whether a path is one of the project's.
func (n note) covers(path string) bool { return path == n.Root || slices.Contains(n.Trees, path) }

// folderName is what a project's folder can be called, and no way out of its place.
var folderName = regexp.MustCompile(`^[A-Za-z0-9._-]*[A-Za-z0-9_-]$`)

var unusual = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

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

// lookUp finds the project that a path is known to belong to.
func lookUp(state, path string) (id string, known bool) {
	b, err := readSmall(placeFile(state, path))
	if err != nil {
		return "", false
	}
	id = string(b)
	n, err := readNote(state, id)
	return id, err == nil && n.covers(path)
}

// readNote reads what is known of a project.
func readNote(state, id string) (note, error) {
	if !folderName.MatchString(id) {
		return note{}, &fs.PathError{Op: "look for project", Path: id, Err: fs.ErrNotExist}
	}
	var n note
	b, err := readSmall(filepath.Join(projects(state), id, noteName))
	if err == nil {
		err = json.Unmarshal(b, &n)
	}
	return n, err
}

// freeFolder is the folder for a project that has none. One of that name may be
// another's, who was here once.
func freeFolder(state, root string) (id string) {
	base := unusual.ReplaceAllString(filepath.Base(root), "_")
	base = fmt.Sprintf("%.40s-%s", base, shortSum(root, 4))
	for i := 1; ; i++ {
		id := base
		if i > 1 {
			id = fmt.Sprintf("%s-%d", base, i)
		}
		n, err := readNote(state, id)
		var unread *fs.PathError // there is none, or whoever makes it will hear why not
		if errors.As(err, &unread) || err == nil && n.Root == root {
			return id
		}
	}
}

// replaceFile puts a file in its place in one piece, and on the disk.
func replaceFile(path string, b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

package project

import (
	"os"
	"path/filepath"
)

// anchorName is the file in the records that the sign in the project is a second
// name of, where both are on one disk. Moving the project keeps that name, a copy
// has a file of its own, and deleting the sign takes the name away. So the number
// of names tells whether the project is still somewhere, wherever that is.
const anchorName = "sign"

func (p Project) anchor(id string) string { return filepath.Join(p.folder(id), anchorName) }

// elsewhere tells whether the sign of a project is somewhere else than here. No
// is also the answer when nobody can tell.
func (p Project) elsewhere(id string) bool {
	info, err := os.Lstat(p.anchor(id))
	if err != nil {
		return false
	}
	others := namesOf(info) - 1
	for _, dir := range p.signs() {
		if here, err := os.Lstat(filepath.Join(dir, noteName)); err == nil && os.SameFile(info, here) {
			others--
		}
	}
	return others > 0
}

// putAnchor makes the sign a second name of the anchor, and tells whether it could.
// The anchor is made anew for that: what other names the old one has are those of
// somebody who is not the project any more.
func (p Project) putAnchor(inside *os.Root, text []byte) bool {
	anchor := filepath.Join(p.Dir, anchorName)
	if here, err := inside.Lstat(noteName); err == nil {
		if info, err := os.Lstat(anchor); err == nil && os.SameFile(info, here) && says(anchor, text) {
			return true
		}
	}
	folder, err := inside.Open(".")
	if err != nil {
		return false
	}
	defer folder.Close()
	if replaceFile(anchor, text) != nil {
		return false
	}
	if inside.RemoveAll(noteName) != nil || linkInto(anchor, folder, noteName) != nil {
		_ = os.Remove(anchor) // one that leads nowhere would say that the project is gone
		return false
	}
	return true
}

// says tells whether a file still holds what was written to it.
func says(path string, text []byte) bool {
	now, err := readSmall(path)
	return err == nil && string(now) == string(text)
}

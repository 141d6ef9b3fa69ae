package project

import (
	"errors"
	"path/filepath"
	"runtime"
)

// Folder is the user's state folder of this program. As the XDG rules want it,
// a path that is not absolute is passed over.
func Folder(getenv func(string) string) (string, error) { return folderOn(runtime.GOOS, getenv) }

func folderOn(system string, getenv func(string) string) (string, error) {
	folders := []string{getenv("XDG_STATE_HOME")}
	switch system {
	case "windows":
		folders = append(folders, getenv("LocalAppData"))
	case "darwin":
		folders = append(folders, filepath.Join(getenv("HOME"), "Library", "Application Support"))
	default:
		folders = append(folders, filepath.Join(getenv("HOME"), ".local", "state"))
	}
	for _, folder := range folders {
		if filepath.IsAbs(folder) {
			return filepath.Join(folder, "refrain"), nil
		}
	}
	return "", &PlaceError{errors.New("find the user's state folder: neither the home folder nor XDG_STATE_HOME is set to a full path")}
}

// PlaceError says that there is no place for records.
type PlaceError struct{ Err error }

func (e *PlaceError) Error() string { return e.Err.Error() }

func (e *PlaceError) Unwrap() error { return e.Err }

// Hint says what to do.
func (e *PlaceError) Hint() string {
	return "set XDG_STATE_HOME to a folder outside of the project that you can write to"
}

package files

import (
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Sync says what a file that was replaced outlives.
type Sync int

const (
	NoSync   Sync = iota // the end of the program
	SyncFile             // a power loss: it is the old one or the new one, and never half
	SyncName             // a power loss: it is the new one
)

// TempMark ends the name of a file that is not in its place yet.
const TempMark = ".tmp"

// Temp is a name beside a file that nobody can have taken.
func Temp(path string) string { return path + "." + rand.Text()[:8] + TempMark }

// Replace puts a file where there may be anything: in one piece, and without
// opening what is there. A folder is in its way.
func Replace(path string, data []byte, mode fs.FileMode, sync Sync) error {
	return ReplaceWith(path, mode, sync, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceWith is Replace for what somebody writes.
func ReplaceWith(path string, mode fs.FileMode, sync Sync, write func(io.Writer) error) error {
	temp := Temp(path)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask takes away
	}
	if err == nil && sync != NoSync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return err
	}
	if sync == SyncName {
		return SyncDir(filepath.Dir(path))
	}
	return nil
}

// Append opens a file to write at its end, and makes it if there is none. It is a
// *NotRegularError when it is something else.
func Append(path string, mode fs.FileMode) (*os.File, error) {
	if info, err := os.Stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|NoWait, mode)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

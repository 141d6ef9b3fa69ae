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
	SyncSoon             // a power loss, once another file is synced: many files cost little more than one
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
	if err := replaceIn(anywhere{}, path, mode, sync, write); err != nil {
		return err
	}
	if sync == SyncName {
		return SyncDir(filepath.Dir(path))
	}
	return nil
}

// place is where files are: anywhere, or below the folder of a root.
type place interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Rename(from, to string) error
	Remove(name string) error
}

type anywhere struct{}

func (anywhere) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (anywhere) Rename(from, to string) error { return os.Rename(from, to) }
func (anywhere) Remove(name string) error     { return os.Remove(name) }

// replaceIn replaces a file of a place, and leaves it to others that its name
// outlives a power loss.
func replaceIn(in place, path string, mode fs.FileMode, sync Sync, write func(io.Writer) error) error {
	temp := Temp(path)
	f, err := in.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Chmod(mode) // whatever the umask takes away
	}
	if err == nil {
		err = sync.file(f)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = in.Rename(temp, path)
	}
	if err != nil {
		_ = in.Remove(temp)
	}
	return err
}

// file makes what was written last as long as it should.
func (sync Sync) file(f *os.File) error {
	switch sync {
	case NoSync:
		return nil
	case SyncSoon:
		return errors.Join(StartSync(f), EndSync(f))
	}
	return f.Sync()
}

// Overwrite is Replace where a folder is not in the way: it goes first, with all
// that is in it.
func Overwrite(path string, data []byte, mode fs.FileMode, sync Sync) error {
	err := Replace(path, data, mode, sync)
	if info, lstat := os.Lstat(path); err != nil && lstat == nil && info.IsDir() {
		if err = RemoveAll(path); err == nil {
			err = Replace(path, data, mode, sync)
		}
	}
	return err
}

// WriteOver writes a file that is there anew, in its place, for whoever has it open or
// mounted. Links may lead anywhere. What is cut short leaves half of it.
func WriteOver(path string, data []byte) error {
	f, err := open(path, os.Stat, func(name string, _ int, mode fs.FileMode) (*os.File, error) {
		return os.OpenFile(name, os.O_WRONLY|os.O_TRUNC|NoWait, mode)
	})
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// Append opens a file to write at its end, and makes it if there is none. It is a
// *NotRegularError when it is something else.
func Append(path string, mode fs.FileMode) (*os.File, error) {
	return appendTo(path, mode, os.Stat, os.OpenFile)
}

func appendTo(path string, mode fs.FileMode, stat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error)) (*os.File, error) {
	if info, err := stat(path); err == nil {
		if err := regular(path, info); err != nil {
			return nil, err
		}
	}
	f, err := open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|NoWait, mode)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

package files

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
)

// Replace puts a file where there may be anything: in one piece, and without
// opening what is there. A folder is in its way.
func Replace(path string, data []byte, mode fs.FileMode) error {
	temp := path + "." + rand.Text()[:8] + ".tmp"
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
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

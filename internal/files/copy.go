package files

import (
	"context"
	"errors"
	"io"
	"os"
)

// Copy copies a regular file to a new one, with its permissions and its time, by
// which caches know what they were made from. The two share their blocks where
// the disk can do that. A file that grows all the time is copied as far as it
// was. With SyncFile it is on the disk then.
func Copy(from, to string, sync Sync) error {
	source, err := OpenFile(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = target.ReadFrom(io.LimitReader(source, info.Size()))
	if err == nil {
		err = sync.file(target)
	}
	if err := errors.Join(err, target.Chmod(info.Mode().Perm()), target.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// copyPiece is how much is copied between two looks at the context.
const copyPiece = 64 << 20

// CopyAll copies all that there is to read, as the system does it best, until the
// context ends.
func CopyAll(ctx context.Context, to io.Writer, from io.Reader) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if _, err := io.CopyN(to, from, copyPiece); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

package checkpoint

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
)

// looseFile is an object as git keeps it in a file of its own.
func looseFile(kind string, content []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := zlib.NewWriterLevel(&b, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(z, "%s %d\x00", kind, len(content))
	_, err = z.Write(content)
	err = errors.Join(err, z.Close())
	return b.Bytes(), err
}

// put writes an object into the store. A commit is on the disk then, for HEAD will name
// it; a tree is on its way there, and with the next file that is synced on most disks. A
// file with nothing in it is what a crash has left of one.
func (r *shadow) put(kind string, content []byte) (name string, err error) {
	name = r.sum(kind, content)
	at := filepath.Join(r.objects(), name[:2], name[2:])
	if info, err := os.Lstat(at); err == nil && info.Size() > 0 {
		return name, nil
	}
	text, err := looseFile(kind, content)
	if err != nil {
		return name, err
	}
	defer r.atWork.begin()() // no folder goes while one is made
	temp := filepath.Join(r.objects(), "tmp_obj_"+rand.Text())
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return name, err
	}
	_, err = f.Write(text)
	switch {
	case err != nil:
	case kind == "commit":
		err = f.Sync()
	default:
		err = errors.Join(files.StartSync(f), files.EndSync(f))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		if err = os.Rename(temp, at); errors.Is(err, fs.ErrNotExist) {
			err = errors.Join(files.Ignoring(os.Mkdir(filepath.Dir(at), 0o700), fs.ErrExist), os.Rename(temp, at))
		}
	}
	if err != nil {
		_ = os.Remove(temp) // it only costs room
	}
	return name, err
}

// commitText is a commit of ours, with a message that is its last line.
func commitText(tree, parent string, message []byte, now time.Time) []byte {
	var b bytes.Buffer
	who := fmt.Sprintf("refrain <refrain@localhost> %d +0000", now.Unix())
	fmt.Fprintf(&b, "tree %s\n", tree)
	if parent != "" {
		fmt.Fprintf(&b, "parent %s\n", parent)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", who, who, message)
	return b.Bytes()
}

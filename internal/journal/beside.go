package journal

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/seal"
)

// Beside the journal there are files that a next runner goes by. The run knows
// what each of them should hold, and believes that and not the disk.

// besideNames are these files, each sealed for itself.
var besideNames = []string{metaName, guardedName, knownName}

// besidePath is where one of them lies in the folder of a run.
func besidePath(dir, name string) string {
	if name == metaName {
		return filepath.Join(dir, name)
	}
	return filepath.Join(attemptDir(dir, 0, 1), name)
}

// beside is one of these files.
type beside struct {
	content []byte
	saved   bool // it was written
}

// putBeside seals an object and writes it: in one piece, and on the disk.
func (r *Run) putBeside(name string, object []byte) error {
	if r.log.chain.Keyed() {
		object = r.log.chain.SealFile(sealPlace(r.log.chain, r.meta, name), object)
	}
	r.beside[name] = &beside{content: object}
	return r.saveBeside(name)
}

// writeMeta writes run.json.
func (r *Run) writeMeta() error {
	b, err := json.MarshalIndent(r.meta, "", "  ")
	if err != nil {
		return err
	}
	return r.putBeside(metaName, append(b, '\n'))
}

// saveBeside writes one of the files as the run knows it. That it is there is
// said in run.json, so that it can be missed: before the first agent, with
// noteAgent; from then on, at once.
func (r *Run) saveBeside(name string) error {
	f, path := r.beside[name], besidePath(r.dir, name)
	if err := r.full.unless(func() error { return replace(path, f.content, true) }); err != nil {
		return err
	}
	f.saved = true
	r.trouble.settle(name)
	if name == metaName || r.meta.Head == nil || slices.Contains(r.meta.Sealed, name) {
		return nil
	}
	r.meta.Sealed = append(slices.Clone(r.meta.Sealed), name)
	if r.meta.Head.Events == 0 {
		return nil
	}
	return r.writeMeta()
}

// getBeside reads what putBeside wrote, and tells whether it did.
func (r *Run) getBeside(name string, v any) bool {
	content := []byte(nil)
	if f := r.beside[name]; f != nil {
		content = f.content
	} else if !r.log.chain.Keyed() { // nobody has looked at it
		content, _ = readSmall(besidePath(r.dir, name)) // none is none
	}
	object, _, _ := seal.Chain{}.UnsealFile("", content)
	return json.Unmarshal(object, v) == nil
}

// PutBack writes the files beside the journal again, and the key, where somebody
// else has changed or removed them while the run was live. It says which.
func (r *Run) PutBack() (put []string) {
	defer r.trouble.tell()
	back, err := r.keys.hold(keyPatience)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log.mended != nil {
		return nil // they are not ours to vouch for
	}
	if err != nil {
		r.trouble.note(keyWords, err)
	}
	if r.keyBack = r.keyBack || back; r.keyBack {
		put = append(put, keyWords)
	}
	for _, name := range besideNames {
		f := r.beside[name]
		if f == nil {
			continue
		}
		if now, err := readSmall(besidePath(r.dir, name)); err == nil && bytes.Equal(now, f.content) {
			continue
		}
		known := f.saved
		if err := makeAttemptDir(attemptDir(r.dir, 0, 1)); err != nil && name != metaName {
			r.trouble.note(name, err)
			continue
		}
		if err := r.saveBeside(name); err != nil {
			r.trouble.note(name, err)
			continue
		}
		if known { // else there was no room for it until now
			put = append(put, name)
		}
	}
	return put
}

// keyWords is what people are told of.
const keyWords = "the key of the seals"

// keyPatience is how long the end of a run waits for others who make a key.
const keyPatience = 5 * time.Second

// HoldKey puts the key of the seals back when it is gone. PutBack tells of it.
func (r *Run) HoldKey() {
	back, _ := r.keys.hold(0) // PutBack tries again
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keyBack = r.keyBack || back
}

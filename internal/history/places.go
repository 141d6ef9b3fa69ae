package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
)

// RecordsOutside is what to do about records in the work tree.
const RecordsOutside = "set XDG_STATE_HOME to a folder outside"

// Pool is where the runs of a project share what they copied out of the user's
// repository.
func Pool(runs journal.Store) string { return filepath.Join(runs.Dir, "pool") }

// Checkpoints is where a run keeps its checkpoints.
func Checkpoints(runDir string) string { return filepath.Join(runDir, "objects") }

// ProofDir is where the clean checkouts of a run are made, or of a check, by the
// folder of its records: with these, unless they are in the work tree. Tools look
// upward for their settings and dependencies.
func ProofDir(tree, records string) string {
	beside := filepath.Join(records, "proof")
	if !inside(tree, records) {
		return beside
	}
	for _, dir := range ownTemporary() {
		if files.MakeOwn(dir) == nil {
			return filepath.Join(dir, "proof", proofName(records))
		}
	}
	return beside // where none is made, which says why
}

// proofName is what the folder of a run's checkouts is called where those of all
// runs are.
func proofName(records string) string {
	sum := sha256.Sum256([]byte(records))
	return hex.EncodeToString(sum[:8])
}

// ownTemporary are the folders for temporary files that may be ours alone, the best
// first. Whoever was there before us could change what is proven.
func ownTemporary() []string {
	var list []string
	own := filepath.Join(os.TempDir(), fmt.Sprintf("refrain-%d", os.Getuid()))
	for n := range 9 {
		list = append(list, own)
		own = filepath.Join(os.TempDir(), fmt.Sprintf("refrain-%d-%d", os.Getuid(), n+2))
	}
	return list
}

// TempDir is where what a run starts in a sandbox has its temporary files, by the
// folder of its records. It lies outside of these, for their path is long, and that
// of a socket may not be; and where nobody in a sandbox can write but who it is for.
func TempDir(state, records string) string { return filepath.Join(state, "tmp", proofName(records)) }

// Caches is where what is changed of the user's caches in a sandbox is kept for the
// next run in the work tree. Two runs at a time can not use the same.
func Caches(runs journal.Store, tree string) string {
	return filepath.Join(runs.Dir, "caches", proofName(tree))
}

// DropProof removes the clean checkouts of a run that needs them no more. What is
// left of them only costs room, and prune tries again.
func DropProof(tree, records string) error {
	dirs := []string{filepath.Join(records, "proof")}
	if inside(tree, records) {
		for _, dir := range ownTemporary() {
			if files.Own(dir) == nil {
				dirs = append(dirs, filepath.Join(dir, "proof", proofName(records)))
			}
		}
	}
	var err error
	for _, dir := range dirs {
		err = errors.Join(err, checkpoint.RemoveTemporary(dir), files.RemoveTree(dir))
	}
	return err
}

// inside tells whether a path is a folder, or somewhere below it.
func inside(dir, path string) bool {
	_, ok := files.Under(dir, path)
	return ok
}

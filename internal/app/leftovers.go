package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/pool"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/proof"
)

// DropProof removes the clean checkout of a run whose records are deleted.
func DropProof(entry journal.Entry) error { return dropProof(entry.Tree, entry.Dir) }

// leftBehind is when what a check needs for itself is taken for forgotten by one
// that was killed.
const leftBehind = time.Hour

// PruneLeftovers removes what somebody who was killed has left: the records of
// checks, and clean checkouts of which nobody has the records any more. What runs
// shared and none needs any more goes too; it is no folder to be told of.
func PruneLeftovers(runs journal.Store, dry bool) ([]string, error) {
	found, err := leftovers(runs)
	if err != nil || dry {
		return found, err
	}
	for _, dir := range found {
		if err := errors.Join(proof.RemoveTemporary(dir), files.RemoveTree(dir)); err != nil {
			return nil, err
		}
	}
	_, err = pool.Sweep(poolOf(runs.Dir))
	return found, err
}

func leftovers(runs journal.Store) ([]string, error) {
	found := []string{}
	checks, err := folders(runs.Dir)
	if err != nil {
		return nil, err
	}
	for _, dir := range checks {
		info, err := os.Lstat(dir)
		if err == nil && strings.HasPrefix(filepath.Base(dir), "check-") && time.Since(info.ModTime()) > leftBehind {
			found = append(found, dir)
		}
	}
	built, err := project.Leftovers(runs.Dir)
	if err != nil {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	found = append(found, built...)
	for _, place := range proofPlaces() {
		proofs, err := folders(place)
		if err != nil {
			return nil, err
		}
		for _, dir := range proofs {
			if abandoned(dir, found) {
				found = append(found, dir)
			}
		}
	}
	return found, nil
}

// proofPlaces are where clean checkouts may be that are not with their records.
// Earlier versions had all of them in the user's cache.
func proofPlaces() []string {
	var list []string
	for _, dir := range ownTemporary() {
		if files.Own(dir) == nil {
			list = append(list, filepath.Join(dir, "proof"))
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		list = append(list, filepath.Join(cache, "refrain", "proof"))
	}
	return list
}

func folders(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("look for leftovers: %w", err)
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, nil
}

// mostOwner is more than the path of a folder has.
const mostOwner = 64 << 10

// abandoned tells whether a clean checkout names records that are gone, or will
// be: those of its run, or those that its files come from.
func abandoned(dir string, going []string) bool {
	// Earlier versions kept one checkout here, with its owner in its .git.
	for _, name := range []string{proof.OwnerFile, ".git/" + proof.OwnerFile, ".git/objects/info/alternates"} {
		text, err := files.ReadFile(context.Background(), filepath.Join(dir, filepath.FromSlash(name)), mostOwner)
		records := strings.TrimSpace(string(text))
		if err != nil || records == "" {
			continue
		}
		if _, err := os.Lstat(records); errors.Is(err, os.ErrNotExist) {
			return true
		}
		for _, other := range going {
			if within(other, records) {
				return true
			}
		}
	}
	return false
}

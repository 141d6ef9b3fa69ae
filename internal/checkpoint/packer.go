package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// packer packs what a store holds while others work with it: a small object is a
// file of its own, and takes ten times its room on the disk, and more.
//
//	what is loose, and our packs that are no larger ─► a pack beside the store ─► synced ─► in its place ─► the others go
//
// Nothing goes that is not in the new pack, whether a checkpoint needs it or not.
// Whoever is killed on the way leaves a folder that the next one removes, or
// something twice.
type packer struct {
	repo *shadow

	mu     sync.Mutex
	made   int           // objects since it was packed, about
	due    chan struct{} // nil: nobody packs
	failed string        // why it could not be packed; empty once it was said
	said   bool
}

const (
	// packAfter is how many objects may lie about. Each takes a block of the disk,
	// and its folder another.
	packAfter = 64
	// lastPack is how long the end of a run waits for a pack that is under way: what
	// is not done then is done by the next.
	lastPack = time.Second
)

// packing is the folder in which a pack is made.
const packing = "packing"

// begin packs whenever that is due, until it is told to stop; with now it begins at once.
func (p *packer) begin(ctx context.Context, now bool) (stop func()) {
	due, over := make(chan struct{}, 1), make(chan struct{})
	p.mu.Lock()
	p.due = due
	p.mu.Unlock()
	if now { // it was there: somebody may have been killed
		due <- struct{}{}
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer close(over)
		for range due {
			err := p.pack(ctx)
			if err != nil && ctx.Err() == nil {
				p.fail(err)
			}
		}
	}()
	return func() {
		p.mu.Lock()
		p.due = nil
		p.mu.Unlock()
		close(due)
		timer := time.AfterFunc(lastPack, cancel)
		defer timer.Stop()
		<-over
		cancel()
	}
}

// add says that objects were made.
func (p *packer) add(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.made += n; p.made < packAfter || p.due == nil {
		return
	}
	select {
	case p.due <- struct{}{}:
		p.made = 0
	default: // one is due already
	}
}

func (p *packer) fail(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.said {
		p.failed, p.said = err.Error(), true
	}
}

// note is what people should know, once.
func (p *packer) note() (notes []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != "" {
		notes = []string{"the checkpoints take more room than they need: " + p.failed}
	}
	p.failed = ""
	return notes
}

// pack packs once.
func (p *packer) pack(ctx context.Context) error {
	scratch := p.repo.at(packing)
	if err := os.RemoveAll(scratch); err != nil { // of somebody who was killed
		return fmt.Errorf("pack the checkpoints: %w", err)
	}
	p.repo.dropHalves()
	p.repo.dropUnfinished(time.Now())
	loose, err := p.repo.loose()
	if err != nil {
		return fmt.Errorf("pack the checkpoints: %w", err)
	}
	if len(loose) < packAfter/2 {
		return nil
	}
	packs, err := p.repo.ourPacks()
	if err != nil {
		return fmt.Errorf("pack the checkpoints: %w", err)
	}
	var merged []pack
	names := loose
	for _, m := range mergeable(len(loose), packs) {
		if m.read(ctx, p.repo.format) == nil {
			merged, names = append(merged, m), append(names, m.names...)
		}
	}
	defer os.RemoveAll(scratch)
	if err := p.write(ctx, scratch, names); err != nil {
		return fmt.Errorf("pack the checkpoints: %w", err)
	}
	into, err := p.place(ctx, scratch)
	if err != nil {
		return fmt.Errorf("pack the checkpoints: %w", err)
	}
	ours := p.repo.dropLoose(into.only(loose))
	for _, m := range merged {
		if m.index != into.index && len(into.only(m.names)) == len(m.names) {
			dropPack(m)
		}
	}
	p.repo.dropFolders(ctx, ours, time.Now())
	return nil
}

// mergeable is the packs that are no larger than all that goes into the new one
// before them: so an object is written again only when what it is in has become
// twice as large, and there are few packs to look into.
func mergeable(n int, packs []pack) []pack {
	for i, p := range packs {
		if p.size > n {
			return packs[:i]
		}
		n += p.size
	}
	return packs
}

// write makes a pack of objects in a folder. What is large is not compared with
// others, and nothing takes more than one processor and some memory.
func (p *packer) write(ctx context.Context, scratch string, names []string) error {
	if err := os.MkdirAll(filepath.Join(scratch, "pack"), 0o700); err != nil {
		return err
	}
	_, err := p.repo.run(ctx, git.Command{
		Env:      []string{"GIT_OBJECT_DIRECTORY=" + scratch, lookingInto(p.repo.objects())},
		Settings: []git.Setting{{Key: "core.bigFileThreshold", Value: "8m"}, {Key: "pack.writeReverseIndex", Value: "false"}, {Key: "core.fsync", Value: "objects,pack-metadata"}},
		Stdin:    []byte(strings.Join(names, "\n") + "\n"),
	}, "pack-objects", "-q", "--delta-base-offset", "--threads=1", "--window-memory=64m", filepath.Join(scratch, strings.TrimSuffix(ours, "-")))
	return err
}

// place moves a pack that was made to the others, the index last: by that git finds it.
// It is on the disk.
func (p *packer) place(ctx context.Context, scratch string) (pack, error) {
	made, err := filepath.Glob(filepath.Join(globQuoted(scratch), ours+"*.idx"))
	if err != nil || len(made) != 1 {
		return pack{}, errors.Join(err, fmt.Errorf("git pack-objects has made %d packs", len(made)))
	}
	base := strings.TrimSuffix(made[0], ".idx")
	into := filepath.Join(p.repo.objects(), "pack")
	for _, ending := range []string{".pack", ".idx"} {
		if err := os.Rename(base+ending, filepath.Join(into, filepath.Base(base)+ending)); err != nil {
			return pack{}, err
		}
	}
	if err := files.SyncDir(into); err != nil {
		return pack{}, err
	}
	placed := pack{index: filepath.Join(into, filepath.Base(made[0]))}
	return placed, placed.read(ctx, p.repo.format)
}

// only is those of the names that are in the pack.
func (p pack) only(names []string) []string {
	in := make(map[string]bool, len(p.names))
	for _, name := range p.names {
		in[name] = true
	}
	var list []string
	for _, name := range names {
		if in[name] {
			list = append(list, name)
		}
	}
	return list
}

package checkpoint

import (
	"context"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/story"
)

// BenchmarkUnchanged is a checkpoint with nothing to keep, against "git status"
// on the same tree. Both are run by turns, and the fastest turn of each counts.
func BenchmarkUnchanged(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("%d-files", n), func(b *testing.B) {
			f := newForest(b, n)
			s := f.keep(f.open())
			first := f.checkpoint(s)
			f.Git("status") // which remembers what it has seen
			var status, ours []float64
			for b.Loop() {
				status = append(status, taken(func() { f.Git("status", "--porcelain", "--untracked-files=all") }))
				ours = append(ours, taken(func() {
					if f.checkpoint(s).ID != first.ID {
						b.Fatal("there was something to keep")
					}
				}))
			}
			report(b, slices.Min(status), "status-ms")
			report(b, slices.Min(ours), "checkpoint-ms")
			report(b, slices.Min(ours)/slices.Min(status), "ratio")
		})
	}
}

// BenchmarkChanged is a checkpoint after one file was changed and committed.
func BenchmarkChanged(b *testing.B) {
	for _, n := range []int{1000, 100_000} {
		b.Run(fmt.Sprintf("%d-files", n), func(b *testing.B) {
			f := newForest(b, n)
			s := f.keep(f.open())
			before := f.checkpoint(s)
			var ours []float64
			for b.Loop() {
				f.Write("d0/0", fmt.Sprint(len(ours)))
				f.Git("commit", "-q", "-a", "-m", "more")
				ours = append(ours, taken(func() {
					after := f.checkpoint(s)
					f.changes(s, before, after)
					before = after
				}))
			}
			report(b, slices.Min(ours), "checkpoint-ms")
		})
	}
}

// BenchmarkStore is what the store of a run holds after many small checkpoints, each of
// one changed file, kept one after the other: whoever packs it must keep up.
func BenchmarkStore(b *testing.B) {
	n := 1000
	if testing.Short() {
		n = 100
	}
	for range b.N {
		f := folder{story.NewRepository(b)}
		programs := 0
		tree := f.open()
		tree = tree.Through(func(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
			if !slices.Contains(spec.Argv, "pack-objects") { // which is beside it
				programs++
			}
			return proc.Run(ctx, spec)
		})
		s := f.keep(tree)
		stop := s.Tidy(b.Context())
		f.checkpoint(s)
		programs = 0
		for i := range n {
			f.Write("sub/work.txt", fmt.Sprintf("%d: as many words as a small change has\n", i))
			f.checkpoint(s)
		}
		each := float64(programs) / float64(n)
		stop()
		report(b, each, "programs")
		report(b, float64(f.looseIn(s)), "loose")
		report(b, float64(room(b, s.dir))/1e6, "MB")
	}
}

// room is what files and folders take on a disk with blocks of the usual size.
func room(b *testing.B, dir string) (bytes int64) {
	b.Helper()
	const block = 4096
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += max(1, (info.Size()+block-1)/block) * block
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// newForest is a repository of many files, all committed.
func newForest(b *testing.B, n int) folder {
	b.Helper()
	f := newFolder(b)
	f.Git("init", "-q", "--template=")
	var stream strings.Builder
	stream.WriteString("commit refs/heads/master\ncommitter A <a@example.org> 0 +0000\ndata 5\nfirst\n")
	for i := range n {
		text := fmt.Sprintf("file %d\n", i)
		fmt.Fprintf(&stream, "M 644 inline d%d/%d\ndata %d\n%s\n", i/100, i, len(text), text)
	}
	load := exec.Command("git", "fast-import", "--quiet")
	load.Dir = f.Dir
	load.Stdin = strings.NewReader(stream.String())
	if out, err := load.CombinedOutput(); err != nil {
		b.Fatalf("git fast-import: %v\n%s", err, out)
	}
	f.Git("reset", "-q", "--hard")
	// What git wrote just now it would have to read again and again.
	late := time.Now().Add(-time.Hour)
	touch := exec.Command("find", filepath.Join(f.Dir), "-name", ".git", "-prune", "-o", "-type", "f", "-exec", "touch", "-d", late.Format(time.RFC3339), "{}", "+")
	if out, err := touch.CombinedOutput(); err != nil {
		b.Fatalf("touch: %v\n%s", err, out)
	}
	f.Git("status")
	return f
}

func taken(act func()) float64 {
	began := time.Now()
	act()
	return float64(time.Since(began)) / float64(time.Millisecond)
}

// report replaces the time of the benchmark itself, which means nothing here.
func report(b *testing.B, value float64, unit string) {
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(value, unit)
}

// BenchmarkFirst is what the first checkpoint of a run costs: its store is made,
// and the tree is kept. The first run of a project copies its objects into the
// pool, later ones find them there.
func BenchmarkFirst(b *testing.B) {
	for _, n := range []int{20, 1000, 100_000} {
		b.Run(fmt.Sprintf("%d-files", n), func(b *testing.B) {
			f := newForest(b, n)
			var first, later []float64
			for b.Loop() {
				home := b.TempDir()
				tree, pool := f.open(), filepath.Join(home, "pool")
				begin := func(name string) float64 {
					return taken(func() {
						s, err := OpenStore(b.Context(), tree, filepath.Join(home, name), pool)
						f.Must(err)
						f.checkpoint(s)
					})
				}
				first = append(first, begin("one"))
				later = append(later, begin("two"))
			}
			report(b, slices.Min(first), "first-ms")
			report(b, slices.Min(later), "later-ms")
		})
	}
}

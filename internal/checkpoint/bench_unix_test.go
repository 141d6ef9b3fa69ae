//go:build unix

package checkpoint

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
)

// BenchmarkCPU is the processor time of a checkpoint after one of 100,000 files was
// changed and committed, of this process and the git programs that it starts.
func BenchmarkCPU(b *testing.B) {
	for _, watched := range []bool{false, true} {
		name := map[bool]string{false: "changed", true: "watched"}[watched]
		b.Run(name, func(b *testing.B) {
			f := newForest(b, 100_000)
			s := f.keep(f.open())
			if watched {
				b.Cleanup(s.Watch(1))
			}
			look := func() Checkpoint {
				if watched {
					c, _ := f.glance(s)
					return c
				}
				return f.checkpoint(s)
			}
			look() // the first one looks at everything
			before := look()
			var took []float64
			for n := 0; b.Loop(); n++ {
				f.Write("d0/0", fmt.Sprint("changed ", n))
				f.Git("commit", "-q", "-a", "-m", "more")
				began := used(b)
				after := look()
				f.changes(s, before, after)
				before = after
				took = append(took, used(b)-began)
			}
			report(b, slices.Min(took), "cpu-ms")
		})
	}
}

// used is the processor time of this process and of those that it has waited for.
func used(b *testing.B) (ms float64) {
	b.Helper()
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		ms += float64(u.Utime.Nano()+u.Stime.Nano()) / 1e6
	}
	return ms
}

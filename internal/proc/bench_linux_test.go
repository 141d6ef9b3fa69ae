package proc

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
)

// BenchmarkFence is a start within a fence against one without, and a thousand
// connects and a keeper's whole life likewise. Both are done by turns, and the fastest turn of each counts. A
// turn is 20 starts, for a single one is too short to be told apart.
func BenchmarkFence(b *testing.B) {
	for _, kind := range []fence.Kind{fence.Landlock, fence.Namespaces} {
		b.Run(string(kind)+"-start", func(b *testing.B) {
			byTurns(b, kind, func(k *Keeper) {
				for range 20 {
					benchRun(b, k, Spec{Argv: []string{"true"}, Env: os.Environ()})
				}
			}, 20)
		})
		b.Run(string(kind)+"-connects", func(b *testing.B) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			go answer(l, "")
			argv, err := HelperCommand("connects", "1000", l.Addr().String())
			if err != nil {
				b.Fatal(err)
			}
			byTurns(b, kind, func(k *Keeper) { benchRun(b, k, Spec{Argv: argv, Env: os.Environ()}) }, 1)
		})
		b.Run(string(kind)+"-raise", func(b *testing.B) {
			tree := b.TempDir()
			byTurns(b, kind, func(k *Keeper) {
				fresh := NewKeeper(NewMark("loop_bench", tree), nil).Within(&k.fence)
				benchRun(b, fresh, Spec{Argv: []string{"true"}, Env: os.Environ()})
				fresh.Close()
			}, 1)
		})
	}
}

func init() {
	helpers["connects"] = func(args []string) int {
		n, _ := strconv.Atoi(args[0])
		for range n {
			conn, err := net.Dial("tcp", args[1])
			if err != nil || conn.Close() != nil {
				return 1
			}
		}
		return 0
	}
}

func benchRun(b *testing.B, k *Keeper, s Spec) {
	b.Helper()
	if exit, err := k.Run(b.Context(), s); err != nil || !exit.Zero() {
		b.Fatalf("exit = %+v, %v", exit, err)
	}
}

// byTurns reports what n acts take, in milliseconds, and within a fence.
func byTurns(b *testing.B, kind fence.Kind, turn func(k *Keeper), n float64) {
	b.Helper()
	needFence(b, kind)
	home, err := os.UserHomeDir()
	if err != nil {
		b.Skip(err)
	}
	keeper := func(p *fence.Policy) *Keeper {
		k := NewKeeper(NewMark("loop_bench", b.TempDir()), nil).Within(p)
		b.Cleanup(k.Close)
		benchRun(b, k, Spec{Argv: []string{"true"}, Env: os.Environ()}) // which hires it
		return k
	}
	plain := keeper(nil)
	fenced := keeper(&fence.Policy{Kind: kind, Write: []string{b.TempDir()}, Hide: []string{filepath.Join(home, ".ssh"), "/etc/shadow"}})
	taken := func(k *Keeper) float64 {
		at := time.Now()
		turn(k)
		return float64(time.Since(at)) / float64(time.Millisecond) / n
	}
	var without, with []float64
	for b.Loop() {
		without = append(without, taken(plain))
		with = append(with, taken(fenced))
	}
	b.ReportMetric(slices.Min(without), "plain-ms")
	b.ReportMetric(slices.Min(with), "fenced-ms")
	b.ReportMetric(slices.Min(with)/slices.Min(without), "ratio")
}

//go:build linux

package cli

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What a run costs is its start and end, once, and each iteration. So two loops are
// measured, a short one and a long one: what lies between them are iterations and
// nothing else, and what is left of the short one is the start.
const (
	fewTurns  = 1
	manyTurns = 51
)

// instant is an agent that reads its prompt and is done.
var instant = []string{"sh", "-c", "cat >/dev/null"}

// talking is one that also says what it did, as most do.
var talking = []string{"sh", "-c", `cat >/dev/null; echo "I read the plan, wrote the parser for the third kind of line and its tests, ran all of them, and what is left to do is in the plan, under its own heading."`}

// BenchmarkIteration is an iteration whose agent takes no time, against the loop that
// everybody writes first. All loops are run by turns. Of the time on the wall the
// fastest turn of each counts: a disk that others keep busy holds up only the one
// that waits for it. Of processor time the median does.
func BenchmarkIteration(b *testing.B) {
	for _, place := range []string{"folder", "git"} {
		b.Run(place, func(b *testing.B) {
			w := iterationWorld(b, place)
			var shell, ours loops
			for b.Loop() {
				for _, turns := range []int{fewTurns, manyTurns} {
					shell.add(turns, w.measure(0, "sh", "-c", shellLoop(turns)))
					ours.add(turns, w.measure(2, w.program, ourLoop(turns, instant)...))
				}
				w.forget(b)
			}
			report(b, shell.wall(), "shell-ms")
			report(b, ours.wall(), "refrain-ms")
			report(b, ours.wall()/shell.wall(), "ratio")
			report(b, shell.cpu(), "shell-cpu-ms")
			report(b, ours.cpu(), "cpu-ms")
			report(b, ours.cpu()/shell.cpu(), "cpu-ratio")
			report(b, median(ours.few.cpu)-fewTurns*ours.cpu(), "start-cpu-ms")
		})
	}
}

// BenchmarkIterationCounts is what an iteration asks of the system, and what it leaves
// there: how busy the machine is makes no difference to most of it.
func BenchmarkIterationCounts(b *testing.B) {
	for _, place := range []string{"folder", "git"} {
		b.Run(place, func(b *testing.B) {
			w := iterationWorld(b, place)
			for b.Loop() {
				w.reportKept(b, instant, "")
				w.reportKept(b, talking, "talking-")
				w.reportCalls(b)
			}
		})
	}
}

func iterationWorld(b *testing.B, place string) *world {
	w := benchWorld(b)
	w.write("tree/PROMPT.md", "Go on with the plan.\n")
	if place == "git" {
		w.must("git", "init", "-q")
		w.must("git", "add", "-A")
		w.must("git", "commit", "-q", "-m", "a prompt")
	}
	return w
}

func shellLoop(turns int) string {
	return fmt.Sprintf("i=0; while [ $i -lt %d ]; do %s -c '%s' < PROMPT.md; i=$((i+1)); done", turns, instant[0], instant[2])
}

func ourLoop(turns int, agent []string) []string {
	return append([]string{"run", "-F", "PROMPT.md", "--until", "NEVER", "-n", strconv.Itoa(turns), "--"}, agent...)
}

// loops are those of one kind that were measured.
type loops struct{ few, many series }

type series struct{ wall, cpu []float64 }

func (l *loops) add(turns int, t taken) {
	s := &l.few
	if turns == manyTurns {
		s = &l.many
	}
	s.wall, s.cpu = append(s.wall, t.wall), append(s.cpu, t.cpu)
}

// wall is the time of one more iteration.
func (l loops) wall() float64 {
	return (slices.Min(l.many.wall) - slices.Min(l.few.wall)) / (manyTurns - fewTurns)
}

// cpu is the processor time of one more.
func (l loops) cpu() float64 {
	return (median(l.many.cpu) - median(l.few.cpu)) / (manyTurns - fewTurns)
}

// forget removes the runs that were measured: else the disk fills up.
func (w *world) forget(b *testing.B) {
	b.StopTimer()
	defer b.StartTimer()
	if err := os.RemoveAll(filepath.Join(w.store().Dir, "runs")); err != nil {
		b.Fatal(err)
	}
}

// reportKept reports what one more iteration leaves in the folder of its run.
func (w *world) reportKept(b *testing.B, agent []string, prefix string) {
	var bytes, files []float64
	for _, turns := range []int{fewTurns, manyTurns} {
		w.measure(2, w.program, ourLoop(turns, agent)...)
		run, err := w.store().Find("")
		if err != nil {
			b.Fatal(err)
		}
		journal, err := os.Stat(filepath.Join(run.Dir, "journal.jsonl"))
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		err = filepath.WalkDir(run.Dir, func(string, fs.DirEntry, error) error { n++; return nil })
		if err != nil {
			b.Fatal(err)
		}
		bytes, files = append(bytes, float64(journal.Size())), append(files, float64(n))
		w.forget(b)
	}
	report(b, perTurn(bytes), prefix+"journal-B")
	report(b, perTurn(files), prefix+"inodes")
}

func perTurn(of []float64) float64 { return (of[1] - of[0]) / (manyTurns - fewTurns) }

// reportCalls reports how often one more iteration calls the system, its agent
// included, how often it waits for the disk, and how many git programs it starts.
func (w *world) reportCalls(b *testing.B) {
	if _, err := exec.LookPath("strace"); err != nil {
		b.Log("SKIPPED: the calls of an iteration are not counted, for strace is not installed")
		return
	}
	counts := map[string][]float64{}
	for _, turns := range []int{fewTurns, manyTurns} {
		said := filepath.Join(b.TempDir(), "calls")
		w.measure(2, "strace", append([]string{"-f", "-c", "-o", said, w.program}, ourLoop(turns, instant)...)...)
		for name, calls := range callsIn(b, said) {
			counts[name] = append(slices.Grow(counts[name], 2), calls)
		}
		w.measure(2, "strace", append([]string{"-f", "-e", "trace=execve", "-o", said, w.program}, ourLoop(turns, instant)...)...)
		counts["git"] = append(counts["git"], gitsIn(b, said))
		w.forget(b)
	}
	report(b, perTurn(counts["total"]), "syscalls")
	report(b, perTurn(counts["fsync"]), "fsyncs")
	report(b, perTurn(counts["git"]), "git-programs")
}

// callsIn reads how often each call was made in what strace has counted.
func callsIn(b *testing.B, path string) map[string]float64 {
	calls := map[string]float64{"fsync": 0}
	for _, line := range linesOf(b, path) {
		fields := strings.Fields(line) // share seconds usecs calls [errors] name
		if len(fields) < 5 {
			continue
		}
		if n, err := strconv.ParseFloat(fields[3], 64); err == nil {
			calls[fields[len(fields)-1]] = n
		}
	}
	if calls["total"] == 0 {
		b.Fatalf("%s has no sum", path)
	}
	return calls
}

var startsGit = regexp.MustCompile(`execve\("[^"]*/git", .*`)

// gitsIn counts the git programs in what strace has seen started.
func gitsIn(b *testing.B, path string) (n float64) {
	for _, line := range linesOf(b, path) {
		if at := startsGit.FindString(line); at != "" && !strings.Contains(at, "ENOENT") {
			n++
		}
	}
	return n
}

func linesOf(b *testing.B, path string) (lines []string) {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	all := bufio.NewScanner(f)
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		lines = append(lines, all.Text())
	}
	if err := all.Err(); err != nil {
		b.Fatal(err)
	}
	return lines
}

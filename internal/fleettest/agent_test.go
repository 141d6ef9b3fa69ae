//go:build unix

package fleettest

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// shift is one agent at work, as it has noted it itself.
type shift struct {
	machine            string
	pid                int
	iteration, attempt int
	marks              []time.Time // the first when it began, and the last when it was last alive
	ended              bool        // it came to its end by itself
}

// between is how far the notes of an agent at work are apart, on a busy machine too. One
// that notes nothing for longer was frozen, or is gone.
const between = 2 * time.Second

// shifts reads what the agents of a run have noted, in the order in which they began.
func shifts(t testing.TB, path string) []*shift {
	t.Helper()
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil // no agent has begun
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var list []*shift
	live := map[string]*shift{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		w := strings.Fields(lines.Text())
		if len(w) != 6 {
			t.Fatalf("%s: %q is no note of an agent", path, lines.Text())
		}
		at := moment(t, w[0])
		who := w[5] + " " + w[4]
		if w[1] == "begin" {
			live[who] = &shift{machine: w[5], pid: number(t, w[4]), iteration: number(t, w[2]), attempt: number(t, w[3])}
			list = append(list, live[who])
		}
		s := live[who]
		if s == nil {
			t.Fatalf("%s: %q is of an agent that has not begun", path, lines.Text())
		}
		s.marks = append(s.marks, at)
		s.ended = w[1] == "end"
	}
	return list
}

func moment(t testing.TB, text string) time.Time {
	t.Helper()
	seconds, micro, _ := strings.Cut(text, ".")
	return time.Unix(int64(number(t, seconds)), int64(number(t, micro))*int64(time.Microsecond))
}

func number(t testing.TB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// overlap is for how long two agents were at work at the same time. One that was frozen
// was not at work meanwhile.
func overlap(a, b *shift) time.Duration {
	together := time.Duration(0)
	for _, x := range a.spans() {
		for _, y := range b.spans() {
			from, to := later(x[0], y[0]), earlier(x[1], y[1])
			together += max(0, to.Sub(from))
		}
	}
	return together
}

// spans are the times in which an agent has noted again and again that it is at work.
func (s *shift) spans() [][2]time.Time {
	var list [][2]time.Time
	for i, at := range s.marks {
		if i > 0 && at.Sub(s.marks[i-1]) <= between {
			list[len(list)-1][1] = at
			continue
		}
		list = append(list, [2]time.Time{at, at})
	}
	return list
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func TestOverlap(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run")
	notes := "100.000000 begin 1 1 7 w1\n100.100000 alive 1 1 7 w1\n100.200000 alive 1 1 7 w1\n" + // frozen from here
		"109.000000 begin 1 2 7 w2\n109.100000 alive 1 2 7 w2\n" +
		"109.100000 alive 1 1 7 w1\n109.150000 alive 1 1 7 w1\n" + // and thawed
		"109.200000 end 1 2 7 w2\n"
	if err := os.WriteFile(path, []byte(notes), 0o600); err != nil {
		t.Fatal(err)
	}
	list := shifts(t, path)
	if len(list) != 2 || list[0].ended || !list[1].ended || list[1].machine != "w2" || list[1].attempt != 2 {
		t.Fatalf("shifts = %+v, want one of w1 that did not end, and one of w2 that did", list)
	}
	if got := overlap(list[0], list[1]); got != 50*time.Millisecond {
		t.Errorf("overlap = %v, want the 50ms after the thaw", got)
	}
	if got := overlap(list[0], list[0]); got != 250*time.Millisecond {
		t.Errorf("an agent was at work for %v, want 250ms", got)
	}
}

package seal

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// written is a chain of some lines, and the chain that made them.
func written(n int) (Chain, [][]byte) {
	c := New([]byte("a key"), "loop_1")
	var lines [][]byte
	last := c.Start()
	for i := range n {
		line, seal := c.Seal(last.Seal, fmt.Appendf(nil, `{"seq":%d,"type":"warning"}`, i+1))
		lines, last = append(lines, line), Mark{Events: i + 1, Seal: seal}
	}
	return c, lines
}

// believed tells which lines are, from the first on and from the last on.
func believed(t rapid.TB, c Chain, lines [][]byte) (forward, backward []bool) {
	walk := c.Walk()
	for _, l := range lines {
		forward = append(forward, walk.Believes(l))
	}
	file := string(bytes.Join(lines, []byte("\n"))) + "\n"
	for l, err := range c.Judge(Backward(strings.NewReader(file), int64(len(file)))) {
		if err != nil {
			t.Fatal(err)
		}
		backward = append(backward, l.Believed)
	}
	slices.Reverse(backward)
	return forward, backward
}

func TestOnlyWhatWasWrittenIsBelieved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, lines := written(rapid.IntRange(1, 6).Draw(t, "lines"))
		forward, backward := believed(t, c, lines)
		if slices.Contains(forward, false) || slices.Contains(backward, false) {
			t.Fatalf("of what was written %v and %v are believed", forward, backward)
		}
		i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
		body, _ := Unseal(lines[i])
		at := rapid.IntRange(1, len(body)-1).Draw(t, "byte")
		lines[i] = slices.Clone(lines[i])
		lines[i][at] ^= 1
		forward, backward = believed(t, c, lines)
		if forward[i] || backward[i] {
			t.Fatalf("the line %s is believed", lines[i])
		}
	})
}

func TestAMadeUpLineHidesNoOther(t *testing.T) {
	c, lines := written(4)
	forged := Append([]byte(`{"seq":9,"type":"run.finished"`), strings.Repeat("0", sealSize))
	lines = slices.Insert(lines, 2, forged)
	want := []bool{true, true, false, true, true}
	if forward, backward := believed(t, c, lines); !slices.Equal(forward, want) || !slices.Equal(backward, want) {
		t.Errorf("%v and %v are believed, want %v", forward, backward, want)
	}
}

func TestAHeadIsReadByWhoHasTheKey(t *testing.T) {
	c, _ := written(1)
	m := Mark{Events: 12, Seal: strings.Repeat("a", sealSize)}
	if got, ok := c.ParseHead(c.HeadLine(m)); !ok || got != m {
		t.Errorf("ParseHead = %v, %v, want %v", got, ok, m)
	}
	if _, ok := New([]byte("another"), "loop_1").ParseHead(c.HeadLine(m)); ok {
		t.Error("a head under another key is believed")
	}
}

// Whatever somebody has done to the lines, and whichever are passed: what is believed
// after that is believed by who passes none.
func TestWhoPassesLinesBelievesNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, lines := written(rapid.IntRange(1, 8).Draw(t, "lines"))
		c.Early = rapid.Bool().Draw(t, "early")
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
			switch rapid.IntRange(0, 4).Draw(t, "how") {
			case 0:
				lines[i] = bytes.Replace(lines[i], []byte("warning"), []byte("Warning"), 1)
			case 1:
				lines = slices.Insert(lines, i, Append([]byte(`{"seq":9,"type":"run.finished"`), strings.Repeat("0", sealSize)))
			case 2:
				lines = slices.Insert(lines, i, []byte(`{"seq":9,"type":"run.finished"}`))
			case 3:
				lines = slices.Insert(lines, i, lines[rapid.IntRange(0, len(lines)-1).Draw(t, "copied")])
			case 4:
				if len(lines) > 1 {
					lines = slices.Delete(lines, i, i+1)
				}
			}
		}
		all, some := c.Walk(), c.Walk()
		passed := false
		for i, l := range lines {
			want := all.Believes(l)
			if rapid.Bool().Draw(t, "pass") {
				some.Pass(l)
				passed = true
			} else if got := some.Believes(l); got && !want || !passed && got != want {
				t.Fatalf("line %d is believed: %v by who passes some (%v), %v by who passes none", i, got, passed, want)
			} else if passed && !got {
				return
			}
		}
	})
}

func TestAnHonestJournalIsBelievedByWhoPassesLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, lines := written(8)
		walk := c.Walk()
		for i, l := range lines {
			if rapid.Bool().Draw(t, "pass") {
				walk.Pass(l)
			} else if !walk.Believes(l) {
				t.Fatalf("line %d is not believed", i)
			}
		}
	})
}

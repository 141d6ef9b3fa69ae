package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
)

// desk is a diary of one pattern, and what was read of it.
type desk struct {
	*diary
	t    *testing.T
	read []string
}

func newDesk(t *testing.T, session string) *desk {
	d := &desk{t: t}
	d.diary = newDiary(agent.Diary{Folder: t.TempDir(), Patterns: []string{"*/" + agent.SessionMark + ".log"}}, "", d.take)
	if session != "" {
		d.Hear(&loop.AgentSession{Session: session})
	}
	return d
}

func (d *desk) take(line []byte) { d.read = append(d.read, string(line)) }

func (d *desk) path(name string) string {
	path := filepath.Join(d.Folder, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		d.t.Fatal(err)
	}
	return path
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	f, err := os.OpenFile(d.path(name), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) want(want ...string) {
	d.t.Helper()
	d.look()
	if got := strings.Join(d.read, "|"); got != strings.Join(want, "|") {
		d.t.Errorf("read %.200q, want %.200q", got, strings.Join(want, "|"))
	}
	d.read = nil
}

func TestADiaryIsReadAsItGrows(t *testing.T) {
	d := newDesk(t, "")
	d.write("a/s1.log", "one\n")
	d.want() // nobody has told the session
	d.Hear(&loop.AgentSession{Model: "m"})
	d.want()
	d.Hear(&loop.AgentSession{Session: "s1"})
	d.want("one")
	d.want()
	d.write("a/s1.log", "two\nhal")
	d.want("two")
	d.write("a/s1.log", "f\n\n")
	d.want("half", "")
	d.write("a/s2.log", "another session\n")
	d.want()
}

func TestALineThatIsTooLongIsPassedOver(t *testing.T) {
	d := newDesk(t, "s")
	d.write("a/s.log", strings.Repeat("x", longestLine+10))
	d.want()
	d.write("a/s.log", "x\nafter it\n")
	d.want("after it")
}

// Not more is read at once than there is time for, and nothing is lost.
func TestMuchComesInPortions(t *testing.T) {
	d := newDesk(t, "s")
	const lines = 3 * linesAtOnce / (64 << 10)
	d.write("a/s.log", strings.Repeat(strings.Repeat("x", 64<<10-1)+"\n", lines))
	d.look()
	if n := len(d.read); n == 0 || n >= lines {
		t.Errorf("one look read %d of %d lines, want some of them", n, lines)
	}
	for range 9 {
		d.look()
	}
	if n := len(d.read); n != lines {
		t.Errorf("%d lines were read in the end, want %d", n, lines)
	}
}

// What a kept session has written before is not heard once more.
func TestAnOldDiaryIsReadFromItsEnd(t *testing.T) {
	d := newDesk(t, "")
	d.write("a/s.log", "before\n")
	old := &desk{t: t}
	old.diary = newDiary(d.Diary, "s", old.take)
	old.want()
	old.write("a/s.log", "now\n")
	old.want("now")
}

func TestADiaryThatIsCut(t *testing.T) {
	d := newDesk(t, "s")
	d.write("a/s.log", "one\ntwo\n")
	d.want("one", "two")
	if err := os.Truncate(d.path("a/s.log"), 4); err != nil {
		t.Fatal(err)
	}
	d.want()
	d.write("a/s.log", "three\n")
	d.want("three")
}

// An agent may call its session what it likes, and put what it likes into its folder.
func TestADiaryIsAFileOfTheAgentsFolder(t *testing.T) {
	for _, session := range []string{"..", "a/s", `a\s`, "*", "?", "[s]", ""} {
		d := newDesk(t, session)
		d.write("a/s.log", "one\n")
		d.write("s.log", "two\n")
		d.want()
	}
	d := newDesk(t, "s")
	outside := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(outside, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, d.path("a/s.log")); err != nil {
		t.Skip(err)
	}
	d.want()
}

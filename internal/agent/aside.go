package agent

import (
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// An agent that retries in silence looks idle. Some tell of it beside their output: on
// stderr, or in a file of their own that grows while they work, their diary.

// Complain reads a line of stderr, without its newline, with a decoder that
// understands what its agent says there. The line is not kept.
func Complain(d Decoder, line []byte) []loop.Payload {
	if c, ok := d.(interface{ Complain([]byte) []loop.Payload }); ok {
		return c.Complain(line)
	}
	return nil
}

// Notice tells whether a line of stderr is one that the agent prints however it fares.
func Notice(a Agent, line string) bool {
	c, ok := a.(*cli)
	return ok && holdsAny(line, c.notices)
}

// Overhear reads a line of a diary in the same way.
func Overhear(d Decoder, line []byte) []loop.Payload {
	if o, ok := d.(interface{ Overhear([]byte) []loop.Payload }); ok {
		return o.Overhear(line)
	}
	return nil
}

// Diary is where an agent tells more than it prints: files below a folder of its own,
// by patterns in which SessionMark stands for the session.
type Diary struct {
	Folder   string
	Patterns []string
}

// DiaryOf is the diary of an agent with this environment. It has no patterns when the
// agent keeps none that is read.
func DiaryOf(a Agent, env []string) Diary {
	c, ok := a.(*cli)
	if !ok || len(c.traits.State.Diary) == 0 {
		return Diary{}
	}
	state := c.traits.State
	if folder := lastValue(env, state.In); folder != "" {
		return Diary{folder, state.Diary}
	}
	if home := lastValue(env, "HOME"); home != "" {
		return Diary{filepath.Join(home, filepath.FromSlash(state.Folder)), state.Diary}
	}
	return Diary{}
}

// SessionMark stands for the session in the pattern of a diary.
const SessionMark = "{session}"

// lastValue is the value of a variable that counts; empty: it is not set.
func lastValue(env []string, name string) string {
	if name == "" {
		return ""
	}
	value := ""
	for _, kv := range env {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			value = v
		}
	}
	return value
}

// complainer is a dialect that is spoken on stderr, too.
type complainer interface{ complain(line string, r *report) }

// diarist is a dialect whose agent keeps a diary.
type diarist interface{ overhear(line string, r *report) }

func (d *jsonDecoder) Complain(line []byte) []loop.Payload {
	d.grumble(line)
	d.confess(line)
	c, ok := d.dialect.(complainer)
	if !ok {
		return nil
	}
	c.complain(bare(line), &d.report)
	return d.report.take()
}

func (d *jsonDecoder) Overhear(line []byte) []loop.Payload {
	c, ok := d.dialect.(diarist)
	if !ok {
		return nil
	}
	c.overhear(bare(line), &d.report)
	return d.report.take()
}

// bare is a line without what Windows ends it with.
func bare(line []byte) string { return strings.TrimRight(string(line), "\r") }

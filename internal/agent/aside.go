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

// Overhear reads a line of a diary in the same way.
func Overhear(d Decoder, line []byte) []loop.Payload {
	if o, ok := d.(interface{ Overhear([]byte) []loop.Payload }); ok {
		return o.Overhear(line)
	}
	return nil
}

// Diaries are patterns of the files in which an agent with this environment tells more
// than it prints. SessionMark in one stands for the session, which the agent tells.
func Diaries(a Agent, env []string) []string {
	c, ok := a.(*cli)
	if !ok {
		return nil
	}
	state := c.traits.State
	home := lastValue(env, "HOME")
	folder := lastValue(env, state.In)
	switch {
	case folder == "" && home == "":
		return nil
	case folder == "":
		folder = filepath.Join(home, filepath.FromSlash(state.Folder))
	}
	var list []string
	for _, pattern := range state.Diaries {
		list = append(list, filepath.Join(folder, filepath.FromSlash(pattern)))
	}
	return list
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
	c, ok := d.dialect.(complainer)
	if !ok {
		return nil
	}
	c.complain(string(line), &d.report)
	return d.report.take()
}

func (d *jsonDecoder) Overhear(line []byte) []loop.Payload {
	c, ok := d.dialect.(diarist)
	if !ok {
		return nil
	}
	c.overhear(string(line), &d.report)
	return d.report.take()
}

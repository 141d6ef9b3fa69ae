package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// A journal that was cut at its end looks like one that a crash has left, so the
// runner also writes down how far the journal has come: a line in a file of its
// own, each time that the journal is on the disk. The head itself is not waited
// for. What a crash leaves of it is behind the journal, and never before it.
// run.json says how far the journal was when the first agent was started, which
// no agent has seen otherwise.

// headName is the file that says how far the journal has come.
const headName = "journal.head"

// Mark is a place in a journal.
type Mark struct {
	Events int    `json:"events"`         // how many there are up to it
	Seal   string `json:"seal,omitempty"` // of the last of them
}

// headLine writes a mark, in always the same length.
func (c chain) headLine(m Mark) []byte {
	line := fmt.Appendf(nil, "%012d %s", m.Events, m.Seal)
	return fmt.Appendf(line, " %s", c.sum(c.seed+" "+headName, line))
}

// parseHead reads what headLine wrote, and tells whether it did.
func (c chain) parseHead(line []byte) (Mark, bool) {
	parts := strings.Split(string(line), " ")
	if len(parts) != 3 {
		return Mark{}, false
	}
	n, err := strconv.Atoi(parts[0])
	m := Mark{Events: n, Seal: parts[1]}
	return m, err == nil && slices.Equal(c.headLine(m), line)
}

// headBack is how many lines of a head are looked at: the last is good, or the
// one before it. Who fills it with others is not to keep us.
const headBack = 1000

// readHead is the last mark that was made; zero when there is none yet.
func (c chain) readHead(dir string) (Mark, error) {
	f, err := files.OpenFile(filepath.Join(dir, headName))
	if err != nil {
		return Mark{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Mark{}, err
	}
	n := 0
	for l, err := range backward(f, info.Size()) {
		if err != nil {
			return Mark{}, err
		}
		if m, ok := c.parseHead(l.text); ok {
			return m, nil
		}
		if n++; n == headBack {
			break
		}
	}
	return Mark{}, nil
}

// least is how far the journal of a run has come at the least, and what is wrong
// with who should say it. It is read before the journal: a live runner writes the
// other way round.
func (c chain) least(m Meta, dir string) (least Mark, wrong string, err error) {
	if m.Head == nil || c.mac == nil || c.lost {
		return Mark{}, "", nil
	}
	head, err := c.readHead(dir)
	var strange *files.NotRegularError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		wrong, err = headName+" is missing", nil
	case errors.As(err, &strange):
		wrong, err = headName+" is no file", nil
	}
	if head.Events < m.Head.Events {
		head = *m.Head
	}
	return head, wrong, err
}

// short says that a journal ends before its head.
func short(events int, least Mark) string {
	return fmt.Sprintf("%s has %s, its head says %d", journalName, counted(events), least.Events)
}

func counted(events int) string {
	if events == 1 {
		return "1 event"
	}
	return fmt.Sprintf("%d events", events)
}

// noteHead writes down how far the journal has come. It is on the disk.
func (r *Run) noteHead() {
	if r.meta.Head == nil || r.chain.mac == nil {
		return
	}
	if err := r.head.append(r.chain.headLine(r.safe)); err != nil {
		r.trouble.note(headName, err)
		return
	}
	r.trouble.settle(headName)
}

// noteAgent has run.json say how far the journal is, before the first agent that
// could write to both is started.
func (r *Run) noteAgent() {
	if r.meta.Head == nil || r.chain.mac == nil || r.meta.Head.Events > 0 {
		return
	}
	at := r.safe
	r.meta.Head = &at
	if err := r.writeMeta(); err != nil {
		r.meta.Head = &Mark{} // the next one tries again
		r.trouble.note(metaName, err)
		return
	}
	r.trouble.settle(metaName)
}

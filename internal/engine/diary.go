package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// diary follows the files in which an agent tells more than it prints. The agent can
// put there what it likes: only regular files of its own folder are read, as they
// grow, and not more of them than there is time for.
type diary struct {
	agent.Diary
	line func([]byte) // takes in a whole line

	mu      sync.Mutex
	session string // as the agent has told it

	// Only one goroutine at a time reads on.
	pages []*page
	looks int // in which something was still to be found
}

// page is a file of the diary.
type page struct {
	pattern string
	name    string // below the folder; empty: it is not there yet
	old     bool   // what it holds when it is found is of earlier attempts
	at      int64  // so far it was read
	inLong  bool   // in a line that is too long
}

const (
	lookEvery   = time.Second
	longestLine = 1 << 20
	linesAtOnce = 8 << 20 // bytes of a page that one look reads
	// After so many looks in vain a file is not looked for any more: the folder may
	// hold the sessions of years.
	looksInVain = 60
)

// newDiary opens the diary of an attempt that goes on with a session, if it has one.
func newDiary(d agent.Diary, session string, line func([]byte)) *diary {
	diary := &diary{Diary: d, line: line}
	for _, pattern := range d.Patterns {
		diary.pages = append(diary.pages, &page{pattern: pattern, old: session != ""})
	}
	if session != "" {
		diary.Hear(&loop.AgentSession{Session: session})
		diary.find(session)
	}
	return diary
}

// Hear learns the name of the session.
func (d *diary) Hear(said loop.Payload) []loop.Payload {
	if s, ok := said.(*loop.AgentSession); ok && plainName(s.Session) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.session = s.Session
	}
	return nil
}

func (*diary) Report(*loop.Outcome) []loop.Payload { return nil }

// plainName tells whether a session can be the name of a file, or a part of it, and of
// no other.
func plainName(session string) bool {
	return session != "" && session != "." && session != ".." && !strings.ContainsAny(session, `/\*?[]{}`+"\x00")
}

// follow reads on until the agent is gone; whoever calls done waits for that, and for
// a last look.
func (d *diary) follow() (done func()) {
	if len(d.pages) == 0 {
		return func() {}
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				d.look()
			}
		}
	})
	return sync.OnceFunc(func() {
		stop()
		wg.Wait()
		d.look()
	})
}

// look reads what has come since the last one.
func (d *diary) look() {
	d.mu.Lock()
	session := d.session
	d.mu.Unlock()
	if session == "" {
		return
	}
	d.find(session)
	for _, p := range d.pages {
		if p.name != "" {
			d.read(p)
		}
	}
}

// find looks for pages that are not there yet.
func (d *diary) find(session string) {
	missing := false
	for _, p := range d.pages {
		missing = missing || p.name == ""
	}
	if !missing || d.looks >= looksInVain {
		return
	}
	d.looks++
	tree, err := files.OpenTree(d.Folder)
	if err != nil {
		for _, p := range d.pages {
			p.old = false // it has none yet: what comes from now on is new
		}
		return
	}
	defer tree.Close()
	for _, p := range d.pages {
		if p.name == "" {
			p.find(tree, session)
		}
	}
}

// find takes the first file that there is. One that an earlier attempt of the session
// has written is read from its end on.
func (p *page) find(tree *os.Root, session string) {
	names, err := fs.Glob(files.FS(tree), strings.ReplaceAll(p.pattern, agent.SessionMark, session))
	if err != nil || len(names) == 0 {
		p.old = false // what comes from now on is new
		return
	}
	p.name = filepath.FromSlash(names[0])
	if info, err := tree.Stat(p.name); p.old && err == nil {
		p.at = info.Size()
	}
}

// read hands on the lines of a page that are whole.
func (d *diary) read(p *page) {
	f, err := files.OpenBelow(d.Folder, p.name)
	if err != nil {
		return // it is gone, or no file any more: there is nothing to hear
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == p.at {
		return
	}
	if info.Size() < p.at { // somebody has cut it: what it holds now was heard
		p.at = info.Size()
		return
	}
	buf := make([]byte, min(info.Size()-p.at, longestLine))
	for left := linesAtOnce; left > 0; left -= len(buf) {
		n, err := f.ReadAt(buf, p.at)
		if n == 0 || err != nil && !errors.Is(err, io.EOF) {
			return
		}
		if used := d.lines(p, buf[:n]); used > 0 {
			p.at += int64(used)
			continue
		}
		if n < longestLine {
			return // the rest of the line is to come
		}
		p.inLong = true
		p.at += int64(n)
	}
}

// lines hands on whole lines, and tells how many bytes they were.
func (d *diary) lines(p *page, data []byte) (used int) {
	for {
		end := bytes.IndexByte(data[used:], '\n')
		if end < 0 {
			return used
		}
		if !p.inLong {
			d.line(data[used : used+end])
		}
		p.inLong = false
		used += end + 1
	}
}

package web

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/ledger"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/markup"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// transcript is some of what an agent said and did, oldest first.
type transcript struct {
	Iteration  int     `json:"iteration,omitempty"`
	Attempt    int     `json:"attempt,omitempty"`
	First      int64   `json:"first"`
	Last       int64   `json:"last"`
	MoreBefore bool    `json:"more_before"`
	MoreAfter  bool    `json:"more_after"`
	Dropped    string  `json:"dropped,omitempty"`
	Entries    []Entry `json:"entries"`
}

// span is what part of a list is asked for.
type span struct {
	before, after int64
	limit         int
}

func spanOf(w http.ResponseWriter, r *http.Request) (sp span, ok bool) {
	if sp.before, ok = number(w, r, "before", 0, 0, math.MaxInt64); !ok {
		return sp, false
	}
	if sp.after, ok = number(w, r, "after", 0, 0, math.MaxInt64); !ok {
		return sp, false
	}
	n, ok := number(w, r, "limit", usualRows, 1, maxRows)
	sp.limit = int(n)
	return sp, ok
}

func (s runs) transcript(w http.ResponseWriter, r *http.Request) {
	one, iter, attempt, ok := s.place(w, r)
	if !ok {
		return
	}
	sp, ok := spanOf(w, r)
	if !ok {
		return
	}
	out := transcript{Iteration: iter, Attempt: attempt, Entries: []Entry{}}
	dir := one.store.AttemptDir(one.entry.Name, iter, attempt)
	onward := sp.before == 0 && sp.after > 0
	for line, err := range ledger.AttemptBackward(dir) {
		if err != nil {
			s.missing(w, err)
			return
		}
		if r.Context().Err() != nil {
			return
		}
		if sp.before > 0 && line.Seq >= sp.before {
			out.MoreAfter = true
			continue
		}
		if line.Seq <= sp.after {
			out.MoreBefore = true
			break
		}
		if len(out.Entries) == sp.limit {
			if !onward {
				out.MoreBefore = true
				break
			}
			out.Entries, out.MoreAfter = out.Entries[1:], true
		}
		e, err := line.Event()
		if err != nil {
			continue // half a line, or one of a later version
		}
		if entry, shown := entryOf(e); shown {
			out.Entries = append(out.Entries, entry)
		}
	}
	slices.Reverse(out.Entries)
	if n := len(out.Entries); n > 0 {
		out.First, out.Last = out.Entries[0].Seq, out.Entries[n-1].Seq
	} else if h := whatIn(one, iter, attempt); !out.MoreAfter && !out.MoreBefore && !h.Stdout {
		out.Dropped = "the agent printed nothing, or its transcript is gone: retention.transcripts says how many are kept"
	}
	answer(w, http.StatusOK, out)
}

// story is what was said and what happened, over all iterations.
func (s runs) story(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	sp, ok := spanOf(w, r)
	if !ok {
		return
	}
	l := s.ledgers.of(one)
	if sp.before > 0 || sp.after > 0 { // to find the place
		if err := l.Read(func(*ledger.Book) {}); err != nil {
			s.fail(w, err)
			return
		}
	}
	page, err := l.Page(r.Context(), ledger.Query{Before: sp.before, After: sp.after, Onward: r.URL.Query().Has("after"), Limit: sp.limit})
	if err != nil {
		s.fail(w, err)
		return
	}
	out := transcript{Entries: []Entry{}, First: page.Next, MoreBefore: page.More && sp.after == 0, MoreAfter: sp.before > 0 || page.More && sp.after > 0}
	t := newTeller(startOf(one))
	for _, line := range page.Lines {
		e, err := line.Event()
		if err != nil {
			continue
		}
		out.Entries = append(out.Entries, t.tell(e)...)
		out.Last = e.Seq
	}
	if len(page.Lines) > 0 {
		out.First = page.Lines[0].Seq
	}
	answer(w, http.StatusOK, out)
}

// startOf is a run of which nothing is known but its beginning: what is told from the
// middle of it must not know its end.
func startOf(one ship) *view.Run {
	run := view.New()
	first := one.entry.First
	if one.entry.Last == nil && len(one.entry.Tail) > 0 {
		first = one.entry.Tail[0]
	}
	if _, ok := first.Payload.(*loop.RunStarted); ok {
		run.Apply(first)
	}
	return run
}

// shown is a text of which there may be more.
type shown struct {
	Text  string `json:"text"`
	HTML  string `json:"html"`
	Cut   bool   `json:"cut"`
	Bytes int64  `json:"bytes"`
}

// maxPrompt is how much of a prompt a page gets.
const maxPrompt = 512 << 10

func (s runs) prompt(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	// One that is about to begin has no attempt yet, and may have a prompt to look at.
	if asked := s.Look(one.store, one.entry).Asked; asked != nil && asked.Prompt != "" && r.PathValue("n") == strconv.Itoa(one.row.Iteration+1) {
		if name, below := files.Under(one.entry.Dir, asked.Prompt); below {
			s.text(w, one, filepath.Join(filepath.Base(one.entry.Dir), name))
			return
		}
	}
	one, iter, attempt, ok := s.place(w, r)
	if !ok {
		return
	}
	s.text(w, one, fileOf(one, iter, attempt, "prompt.md"))
}

// text answers with a file of a run, as Markdown.
func (s runs) text(w http.ResponseWriter, one ship, name string) {
	b, size, err := readPart(one, name, 0, maxPrompt)
	if err != nil {
		s.missing(w, err)
		return
	}
	answer(w, http.StatusOK, shown{Text: text.Clean(string(b)), HTML: markup.Markdown(string(b)), Cut: int64(len(b)) < size, Bytes: size})
}

// missing answers that a file is not there, or may not be shown.
func (s runs) missing(w http.ResponseWriter, err error) {
	outside, odd := (*files.OutsideError)(nil), (*files.NotRegularError)(nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		refuse(w, http.StatusNotFound, "there is no such file in the run", "it was never written, or has been dropped")
	case errors.As(err, &outside), errors.As(err, &odd):
		refuse(w, http.StatusForbidden, "the file is not the run's: "+files.Cause(err), "")
	default:
		s.fail(w, err)
	}
}

// readPart reads a part of a file of a run, and tells how large it is. From an offset
// below zero it is the end. What links lead out of the folder of all runs is not read.
func readPart(one ship, name string, from, most int64) ([]byte, int64, error) {
	f, err := files.OpenBelow(home(one), name)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if from < 0 {
		from = max(0, info.Size()-most)
	}
	b, err := io.ReadAll(io.NewSectionReader(f, from, most))
	return b, info.Size(), err
}

// home is the folder of all runs, in which files are opened: what stands in the place of
// a run's own folder may be a link, too.
func home(one ship) string { return filepath.Dir(one.entry.Dir) }

// fileOf is a file of an attempt, as it is called below the folder of all runs.
func fileOf(one ship, iter, attempt int, names ...string) string {
	dir := one.store.AttemptDir(one.entry.Name, iter, attempt)
	rel, err := filepath.Rel(home(one), dir)
	if err != nil {
		rel = "." // it is below
	}
	return filepath.Join(append([]string{rel}, names...)...)
}

// output is some of what the agent printed, as it came.
type output struct {
	Text   string `json:"text"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Next   int64  `json:"next,omitempty"`
}

const maxOutput = 256 << 10

func (s runs) output(w http.ResponseWriter, r *http.Request) {
	one, iter, attempt, ok := s.place(w, r)
	if !ok {
		return
	}
	stream := r.URL.Query().Get("stream")
	if stream != "stdout" && stream != "stderr" {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("there is no stream %.100q", stream), "it is stdout or stderr")
		return
	}
	offset, ok := number(w, r, "offset", 0, 0, math.MaxInt64)
	if !ok {
		return
	}
	b, size, err := readPart(one, fileOf(one, iter, attempt, stream), offset, maxOutput)
	if err != nil {
		s.missing(w, err)
		return
	}
	out := output{Text: text.Clean(string(b)), Offset: offset, Size: size}
	if end := offset + int64(len(b)); end < size && len(b) > 0 {
		out.Next = end
	}
	answer(w, http.StatusOK, out)
}

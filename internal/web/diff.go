package web

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/patch"
)

// What a page gets of a diff, unless it asks for more.
const (
	maxFileLines = 400
	maxDiffLines = 4000
)

func (s runs) diff(w http.ResponseWriter, r *http.Request) {
	one, ok := s.theRun(w, r)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), soon)
	defer cancel()
	if s.Files != nil {
		if err := s.Files(ctx, one.entry); err != nil {
			s.explain(w, http.StatusBadGateway, err)
			return
		}
	}
	h, err := history.Open(ctx, one.store, one.entry)
	if err != nil {
		s.explain(w, http.StatusNotFound, err)
		return
	}
	from, to, ok := s.ends(ctx, w, r, h)
	if !ok {
		return
	}
	perFile, total := maxFileLines, maxDiffLines
	o := checkpoint.DiffOptions{}
	asked := r.URL.Query()
	if p := asked.Get("path"); p != "" {
		o.Paths = []string{p}
		if was := asked.Get("old_path"); was != "" {
			o.Paths = append(o.Paths, was)
		}
	}
	if asked.Get("all") == "1" || len(o.Paths) > 0 {
		perFile, total = math.MaxInt, math.MaxInt
	}
	in, out := io.Pipe()
	var d patch.Diff
	read := make(chan error, 1)
	go func() {
		var err error
		d, err = patch.Read(in, perFile, total)
		_ = in.CloseWithError(err)
		read <- err
	}()
	err = h.Kept.Diff(ctx, out, from, to, o)
	_ = out.CloseWithError(err)
	if parsed := <-read; err == nil || errors.Is(parsed, patch.ErrTooMuch) {
		err = parsed
	}
	if err != nil && !errors.Is(err, patch.ErrTooMuch) {
		s.explain(w, http.StatusInternalServerError, err)
		return
	}
	d.From, d.To = from.ID, to.ID
	answer(w, http.StatusOK, d)
}

// ends are the checkpoints that are compared.
func (s runs) ends(ctx context.Context, w http.ResponseWriter, r *http.Request, h *history.History) (from, to checkpoint.Checkpoint, ok bool) {
	asked := r.URL.Query()
	iter, ok := number(w, r, "iteration", 0, 1, math.MaxInt32)
	if !ok {
		return from, to, false
	}
	first, ok := number(w, r, "from", 0, 0, math.MaxInt32)
	if !ok {
		return from, to, false
	}
	last, ok := number(w, r, "to", 0, 0, math.MaxInt32)
	if !ok {
		return from, to, false
	}
	var err error
	switch {
	case iter > 0:
		if from, err = h.Base(ctx, int(iter)); err == nil {
			to, err = h.At(ctx, int(iter))
		}
	case asked.Has("to"):
		if from, err = h.At(ctx, int(first)); err == nil {
			to, err = h.At(ctx, int(last))
		}
	default:
		if from, err = h.At(ctx, int(first)); err == nil {
			to, err = h.Here(ctx)
		}
	}
	if err != nil {
		s.explain(w, http.StatusNotFound, err)
		return from, to, false
	}
	return from, to, true
}

package fakemodel

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// reply is one answer of the model on its way.
type reply struct {
	*request
	turn  Turn
	usage Usage
	calls []call

	w http.ResponseWriter
	// over is set once the script or the client has ended the reply; what would
	// follow is dropped.
	over bool
	seq  int // of the next event, in the format that numbers them
}

// play answers a request with a turn.
func play(w http.ResponseWriter, r *http.Request, q *request, t Turn) {
	if pad := t.TextSize - len(t.Text); pad > 0 {
		t.Text += strings.Repeat("x", pad)
	}
	o := &reply{request: q, turn: t, usage: Usage{Input: 100, Output: 10}, calls: q.calls(t), w: w}
	if t.Usage != nil {
		o.usage = *t.Usage
	}
	w.Header().Set("request-id", id("req", q.n)) // agents repeat it in what they log
	if o.pause(r.Context(), t.DelayMS); o.over {
		return
	}
	switch {
	case t.Hang == "headers", t.Hang != "" && !q.stream:
		o.hang(r.Context())
	case t.Error != nil && (t.Break != "error" || !q.stream):
		o.fail(*t.Error)
	case t.Break != "" && !q.stream:
		o.cut()
	case q.stream:
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-cache")
		w.WriteHeader(http.StatusOK)
		o.flush()
		q.dialect.stream(r.Context(), o)
	default:
		send(w, http.StatusOK, q.dialect.whole(o))
	}
}

// event sends one server-sent event, with a name in the formats that name them.
func (o *reply) event(name string, data object) {
	if o.over {
		return
	}
	if name != "" {
		fmt.Fprintf(o.w, "event: %s\n", name)
	}
	fmt.Fprintf(o.w, "data: %s\n\n", encode(data))
	o.flush()
}

// flush has no error worth hearing: a client that is gone ends the context.
func (o *reply) flush() { _ = http.NewResponseController(o.w).Flush() }

// pieces hands the text over in about four pieces, and does half way what the
// turn says. An empty text has a middle too.
func (o *reply) pieces(ctx context.Context, each func(string)) {
	text := []rune(o.turn.Text)
	list := slices.Collect(slices.Chunk(text, max(len(text)/4, 8)))
	half := (len(list) + 1) / 2
	for i, piece := range list {
		if i == half {
			o.middle(ctx)
		}
		if i > 0 {
			o.pause(ctx, o.turn.ChunkDelayMS)
		}
		each(string(piece))
	}
	if half == len(list) {
		o.middle(ctx)
	}
}

func (o *reply) middle(ctx context.Context) {
	switch {
	case o.turn.Hang == "mid":
		o.hang(ctx)
	case o.turn.Break == "mid":
		o.cut()
	case o.turn.Break == "error":
		e := Error{Kind: "overloaded"}
		if o.turn.Error != nil {
			e = *o.turn.Error
		}
		o.dialect.breakOff(o, e.filled(o.dialect))
		o.over = true
	}
}

// close comes between the content of a stream and its last events.
func (o *reply) close(ctx context.Context) {
	if o.turn.Hang == "end" && !o.over {
		o.hang(ctx)
	}
}

// hang says nothing more until the client gives up.
func (o *reply) hang(ctx context.Context) {
	<-ctx.Done()
	o.over = true
}

// cut closes the connection in the middle of what it carries.
func (o *reply) cut() { panic(http.ErrAbortHandler) }

func (o *reply) pause(ctx context.Context, ms int) {
	if ms == 0 || o.over {
		return
	}
	timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		o.over = true
	}
}

// speaks tells whether the reply has a text, be it an empty one.
func (o *reply) speaks() bool {
	return o.turn.Text != "" || o.turn.Thinking == "" && len(o.calls) == 0 || o.turn.Break != "" || o.turn.Hang != ""
}

// ending is why the model stopped, in the words of a script.
func (o *reply) ending() string {
	switch {
	case o.turn.Stop != "":
		return o.turn.Stop
	case len(o.calls) > 0:
		return "tool"
	}
	return "end"
}

// halves cuts arguments in two: agents must put them together again.
func halves(args string) [2]string {
	half := len(args) / 2
	for half > 0 && args[half]&0xC0 == 0x80 {
		half-- // not within a character
	}
	return [2]string{args[:half], args[half:]}
}

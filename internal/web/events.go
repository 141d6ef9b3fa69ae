package web

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"
)

const (
	// heartbeat shows both sides that the other is still there.
	heartbeat = 15 * time.Second
	// sendTime is how long a page may take to take something.
	sendTime = 30 * time.Second
)

// events is a stream of server-sent events to one page.
type events struct {
	w    http.ResponseWriter
	r    *http.Request
	out  *http.ResponseController
	held []byte    // what goes out with the next that is sent
	last time.Time // that something was sent
}

func newEvents(w http.ResponseWriter, r *http.Request) *events {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // what may stand in front must not keep it
	return &events{w: w, r: r, out: http.NewResponseController(w), last: time.Now()}
}

// send sends one event, with what was held back; content may be JSON already. A page
// that does not take it in time is given up.
func (e *events) send(name, id string, content any) error {
	if err := e.hold(name, id, content); err != nil {
		return err
	}
	frame := e.held
	e.held = nil
	return e.write(frame)
}

// hold keeps one event until the next is sent: to write each by itself takes more time
// than to make them.
func (e *events) hold(name, id string, content any) error {
	data, made := content.([]byte) // for several pages
	if !made {
		var err error
		if data, err = json.Marshal(content); err != nil {
			return err
		}
	}
	e.held = slices.Grow(e.held, len(data)+64)
	if id != "" {
		e.held = append(append(append(e.held, "id: "...), id...), '\n')
	}
	e.held = append(append(e.held, "event: "...), name...)
	e.held = append(append(append(e.held, "\ndata: "...), data...), "\n\n"...)
	return nil
}

func (e *events) write(frame []byte) error {
	_ = e.out.SetWriteDeadline(time.Now().Add(sendTime)) // where there is none, the connection itself ends
	if _, err := e.w.Write(frame); err != nil {
		return err
	}
	e.last = time.Now()
	return e.out.Flush()
}

// bye says that the server ends, and nothing more will come.
func (e *events) bye(why string) error {
	return e.send("bye", "", map[string]string{"why": why})
}

// rest says that this was all for now.
func (e *events) rest(id string) error { return e.send("rest", id, struct{}{}) }

// beat sends a comment when nothing else was sent for a while.
func (e *events) beat() error {
	if time.Since(e.last) < heartbeat {
		return nil
	}
	return e.write([]byte(":\n\n"))
}

// wait waits for a while. It is false when the page or the server has gone.
func (e *events) wait(closing context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return e.beat() == nil
	case <-e.r.Context().Done():
	case <-closing.Done():
	}
	return false
}

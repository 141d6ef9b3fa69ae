package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// linger is how long the one way may stay silent after the other has ended.
	// Somebody who is gone looks like somebody who only has no more to say, and
	// the other end may never close.
	linger = 5 * time.Minute
	chunk  = 32 << 10
)

// Join copies both ways between two connections, closes them, and comes back
// when all is said or the context has ended. When one end has no more to say,
// the other is told so, and may go on talking.
func Join(ctx context.Context, a, b net.Conn) {
	j := &joint{a: a, b: b}
	defer j.close()
	defer context.AfterFunc(ctx, j.close)()

	var wg sync.WaitGroup
	wg.Go(func() { j.copy(a, b) })
	j.copy(b, a)
	wg.Wait()
}

type joint struct {
	a, b net.Conn
	half atomic.Bool // one of the ways has ended
}

func (j *joint) close() {
	_ = j.a.Close()
	_ = j.b.Close()
}

// copy is one of the ways.
func (j *joint) copy(to, from net.Conn) {
	buf := make([]byte, chunk)
	for {
		n, err := from.Read(buf)
		j.alive()
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				// It takes no more. What it has said already must still arrive.
				j.end()
				return
			}
			j.alive()
		}
		switch {
		case errors.Is(err, io.EOF):
			if c, ok := to.(interface{ CloseWrite() error }); ok {
				_ = c.CloseWrite()
			}
			j.end()
			return
		case err != nil:
			j.close() // a broken end neither hears nor says anything
			return
		}
	}
}

// end says that one way has ended.
func (j *joint) end() {
	j.half.Store(true)
	j.alive()
}

// alive puts the end off after a sign of life.
func (j *joint) alive() {
	if j.half.Load() {
		until := time.Now().Add(linger)
		_ = j.a.SetDeadline(until)
		_ = j.b.SetDeadline(until)
	}
}

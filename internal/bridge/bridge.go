// Package bridge joins connections: what comes in at a listener goes on through
// another connection, both ways, until both ends have said all they had to say.
//
// It is what stands on loopback inside of a network of one's own, and leads to
// the proxy outside. It looks at nothing that goes through: what may be reached
// is for package proxy to say.
package bridge

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// most is how many connections go over a bridge at once. Further ones wait.
	most = 1024
	// breath is how long to wait after a connection could not be taken, as when
	// there are too many open files: those who are through give theirs back.
	breath = 50 * time.Millisecond
)

// Dial makes the connection that leads on.
type Dial func(context.Context) (net.Conn, error)

// Serve joins each connection of a listener to one that dial makes, until the
// context ends. Then it closes the listener and all connections, and comes back
// when nothing of it is left. A connection for which nothing can be dialed is
// closed. It fails only when the listener does.
func Serve(ctx context.Context, l net.Listener, dial Dial) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	defer l.Close()

	places := make(chan struct{}, most)
	for {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
			return nil
		}
		c, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				_ = c.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept on %s: %w", l.Addr(), err)
		case err != nil:
			<-places
			select {
			case <-time.After(breath):
			case <-ctx.Done():
			}
			continue
		}
		wg.Go(func() {
			defer func() { <-places }()
			far, err := dial(ctx)
			if err != nil {
				_ = c.Close()
				return
			}
			Join(ctx, c, far)
		})
	}
}

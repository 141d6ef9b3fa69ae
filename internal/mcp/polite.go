package mcp

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// polite is a transport that gives every answer before it ends. To the SDK the
// end of its input is the end of the talk: what it was asked and has not answered
// yet is dropped. A client that closes its side after the last question, as a
// pipe in a shell does, would hear nothing. So the end is told only when nothing
// is left to answer.
type polite struct {
	sdk.Transport
	hungUp func() // is called when the input ends
}

func (p polite) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &connection{Connection: c, hungUp: p.hungUp, open: map[jsonrpc.ID]bool{}, changed: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type connection struct {
	sdk.Connection
	hungUp  func()
	changed chan struct{} // something was answered
	closed  chan struct{}
	close   sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // was asked, and is not answered
}

func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	message, err := c.Connection.Read(ctx)
	if err != nil {
		c.hungUp()
		c.finish(ctx)
		return message, err
	}
	if q, ok := message.(*jsonrpc.Request); ok && q.IsCall() {
		c.mu.Lock()
		c.open[q.ID] = true
		c.mu.Unlock()
	}
	return message, nil
}

// finish waits until everything is answered, or nobody wants that any more.
func (c *connection) finish(ctx context.Context) {
	for {
		c.mu.Lock()
		left := len(c.open)
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-c.changed:
		case <-c.closed:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (c *connection) Write(ctx context.Context, message jsonrpc.Message) error {
	err := c.Connection.Write(ctx, message)
	if answer, ok := message.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, answer.ID)
		c.mu.Unlock()
		select {
		case c.changed <- struct{}{}:
		default: // the last one was not looked at yet
		}
	}
	return err
}

func (c *connection) Close() error {
	c.close.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

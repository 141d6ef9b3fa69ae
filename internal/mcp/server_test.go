package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/journal"
)

// A client is served over two pipes, and may leave whenever it likes.
func TestServeOverPipes(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(hangUp, cancel func())
	}{
		{"until the client hangs up", func(hangUp, _ func()) { hangUp() }},
		{"until it is not wanted any more", func(_, cancel func()) { cancel() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in, ask := io.Pipe()
			answers, out := io.Pipe()
			ended := make(chan error)
			go func() {
				ended <- Serve(ctx, newScene(t).Options, in, out)
			}()
			fmt.Fprintln(ask, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
			got, err := bufio.NewReader(answers).ReadString('\n')
			if err != nil || !strings.Contains(got, `"name":"refrain"`) {
				t.Errorf("the server says %q, %v", got, err)
			}
			tt.end(func() { ask.Close() }, cancel)
			if err := <-ended; err != nil {
				t.Errorf("Serve = %v, want a quiet end", err)
			}
			ask.Close()
			answers.Close()
		})
	}
}

func TestServeSaysWhenThereIsNoWorkTree(t *testing.T) {
	gone := errors.New("no such folder")
	o := Options{Store: func() (journal.Store, error) { return journal.Store{}, gone }}
	if err := Serve(context.Background(), o, nil, nil); !errors.Is(err, gone) {
		t.Errorf("Serve = %v, want %v", err, gone)
	}
}

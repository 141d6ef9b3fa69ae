package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/cli"
)

// The states of a worker.
const (
	starting = "no server has answered yet"
	working  = "working"
	unserved = "no server answers"
	leaving  = "leaving"
)

// health tells how a worker is.
type health struct {
	worker, queue string
	live          func() int

	mu    sync.Mutex
	state string
}

// set notes a state. Who leaves is leaving for good.
func (h *health) set(state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.state != leaving {
		h.state = state
	}
}

// served notes whether the server answers.
func (h *health) served(ok bool) {
	if ok {
		h.set(working)
		return
	}
	h.set(unserved)
}

// ServeHTTP answers 200 while the worker works, and 503 else.
func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET", http.StatusMethodNotAllowed)
		return
	}
	h.mu.Lock()
	state := h.state
	h.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if state != working {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(struct {
		Worker string `json:"worker"`
		Queue  string `json:"queue"`
		State  string `json:"state"`
		Legs   int    `json:"legs"`
	}{h.worker, h.queue, state, h.live()})
}

// serve answers at an address until its end is called. Port 0 is any that is free.
func (h *health) serve(address string) (at string, end func(), err error) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return "", nil, cli.FailedError(fmt.Sprintf("listen for /healthz: %v", err), "name another port: --health 127.0.0.1:0 takes any that is free")
	}
	mux := http.NewServeMux()
	mux.Handle("/healthz", h)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second, MaxHeaderBytes: 16 << 10}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			h.set(unserved) // nobody hears it, and so the worker counts as ill
		}
	})
	return l.Addr().String(), func() {
		ctx, over := context.WithTimeout(context.Background(), time.Second)
		defer over()
		_ = server.Shutdown(ctx)
		_ = server.Close()
		wg.Wait()
	}, nil
}

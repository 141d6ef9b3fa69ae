package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// headerTime is how long a client may take to say what it wants.
const headerTime = 5 * time.Second

// Handler answers with the metrics: as Prometheus reads them, or as JSON when
// asked with ?format=json.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "metrics can only be read", http.StatusMethodNotAllowed)
			return
		}
		kind, body := "text/plain; version=0.0.4; charset=utf-8", []byte(nil)
		switch format := r.URL.Query().Get("format"); format {
		case "":
			body = m.text()
		case "json":
			var err error
			if body, err = json.Marshal(m); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			kind = "application/json"
		default:
			http.Error(w, "the format is json, or none for Prometheus' own", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body) // whoever asked is gone
	})
}

// Serve answers on /metrics at an address of this machine alone, until Close.
func (m *Metrics) Serve(addr string) (net.Addr, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("metrics.listen %q is not an address: write it as 127.0.0.1:9464", addr)
	}
	if !text.IsLoopback(host) {
		return nil, fmt.Errorf("metrics.listen %q can be reached from outside, and anybody there could read it: use 127.0.0.1, or collect metrics.file", addr)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen on metrics.listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", fromHere(m.Handler()))
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: headerTime}
	m.wg.Go(func() {
		if err := m.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) && m.warn != nil {
			m.warn(loop.Warning{Text: fmt.Sprintf("metrics.listen no longer answers: %v", err)})
		}
	})
	return listener.Addr(), nil
}

// fromHere turns away requests for another host: a web page can make a browser
// on this machine ask us under a name of its own, and read the answer.
func fromHere(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if !text.IsLoopback(host) {
			http.Error(w, "ask for 127.0.0.1 or localhost", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

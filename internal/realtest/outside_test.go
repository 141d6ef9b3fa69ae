package realtest

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
)

// outside is all the network there is besides loopback: a proxy that lets
// nobody through.
type outside struct {
	url string

	mu    sync.Mutex
	tried []string // METHOD HOST of whoever came
}

func newOutside(t *testing.T) *outside {
	o := &outside{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.tried = append(o.tried, r.Method+" "+r.Host)
		http.Error(w, "there is no network here", http.StatusForbidden)
	}))
	t.Cleanup(server.Close)
	o.url = server.URL
	return o
}

// check fails the test when the CLI tried to leave loopback.
func (o *outside) check(w *world) {
	o.mu.Lock()
	defer o.mu.Unlock()
	more := slices.DeleteFunc(o.tried, func(who string) bool { return who == w.recipe.asks })
	if len(more) > 0 {
		w.Errorf("%s asked for more than loopback: %q", w.recipe.name, more)
	}
}

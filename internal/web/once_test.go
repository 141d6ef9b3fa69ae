package web

import (
	"bufio"
	"fmt"
	"strings"
	"testing"
)

// A page that comes again and again gets all there is each time, and gives its
// connection back.
func TestStreamsThatEnd(t *testing.T) {
	s := newScene(t)
	r := s.run().held(s.store, "")
	r.attempt(1)
	at := "/api/runs/" + r.Meta().ID + "/stream?once=1&after="
	ask := func(path string) string {
		var all strings.Builder
		for lines := bufio.NewScanner(strings.NewReader(s.ask("GET", path, s.known).Body.String())); lines.Scan(); {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				all.WriteString(name + " ")
			}
			if strings.HasPrefix(lines.Text(), "id: ") {
				all.WriteString(lines.Text() + " ")
			}
		}
		return all.String()
	}
	for path, want := range map[string]string{
		"/api/stream?once=1":              "id: " + s.boot + "-1 snapshot rest ",
		at + "0":                          fmt.Sprintf("state attempt id: %d entries id: %d rest ", r.last, r.last),
		at + fmt.Sprint(r.last):           fmt.Sprintf("state id: %d rest ", r.last),
		strings.TrimSuffix(at, "&after="): fmt.Sprintf("state id: %d rest ", r.last),
	} {
		if got := ask(path); got != want {
			t.Errorf("GET %s: %q, want %q", path, got, want)
		}
	}
}

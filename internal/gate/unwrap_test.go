package gate

import "testing"

func TestUnwrap(t *testing.T) {
	text := `a line
{"Time":"2026-01-01T00:00:00Z","Action":"run","Test":"TestA"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Test":"TestA","Output":"    a_test.go:3: want 2\n"}
{"not":"an event"}
{"Action":"fail","Elapsed":0.1}
`
	want := "a line\n    a_test.go:3: want 2\n{\"not\":\"an event\"}\n"
	if got := unwrap(text); got != want {
		t.Errorf("unwrap = %q, want %q", got, want)
	}
}

package text

import "testing"

func TestLinesThatCallThemselvesErrors(t *testing.T) {
	for line, want := range map[string]bool{
		"Error: no such file": true, "fatal: not a repository": true, "TypeError: fetch failed": true, "[ERROR] x": true,
		"2026-11-15T01:56:49Z ERROR codex: x": true, "panic: x": true,
		"": false, "there is an error: x": false, "errors: 0": false, "Warning: some error ahead": false,
	} {
		if got := IsError(line); got != want {
			t.Errorf("IsError(%q) = %v, want %v", line, got, want)
		}
	}
}

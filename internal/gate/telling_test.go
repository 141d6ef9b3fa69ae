package gate

import "testing"

func TestTelling(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"node", "node:internal/modules/cjs/loader:1228\n  throw err;\n\nError: Cannot find module 'x'\n", "Error: Cannot find module 'x'"},
		{"node, modules", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /project/a.mjs", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /project/a.mjs"},
		{"python", "Traceback:\nE   ModuleNotFoundError: No module named 'x'", "E ModuleNotFoundError: No module named 'x'"},
		{"ruby", "a.rb:1:in `require': cannot load such file -- rspec (LoadError)", "a.rb:1:in `require': cannot load such file -- rspec (LoadError)"},
		{"bundler", "Could not find rake-13.0 in locally installed gems", "Could not find rake-13.0 in locally installed gems"},
		{"go", "a.go:3:8: no required module provides package x; to add it:", "a.go:3:8: no required module provides package x; to add it:"},
		{"mix", "Unchecked dependencies for environment test:", "Unchecked dependencies for environment test:"},
		{"a shell", "running\nsh: 1: jest: not found\n", "sh: 1: jest: not found"},
		{"a file", "cat: .env: No such file or directory", "cat: .env: No such file or directory"},
		{"the first counts", "cat: a: No such file or directory\ncat: b: No such file or directory", "cat: a: No such file or directory"},
		{"an ordinary failure", "--- FAIL: TestA\n    want 2, page not found in the list\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := telling(tt.text); got != tt.want {
				t.Errorf("telling(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestAbsent(t *testing.T) {
	for line, want := range map[string]string{
		"sh: 1: jest: not found":                    "jest",
		"sh: line 1: jest: command not found":       "jest",
		"/bin/sh: jest: not found":                  "jest",
		"zsh:1: command not found: jest":            "jest",
		"env: ‘ruby’: No such file or directory":    "ruby",
		"cat: a.txt: No such file or directory":     "",
		"Error: Cannot find module 'left-pad/main'": "",
	} {
		if got := absent(line); got != want {
			t.Errorf("absent(%q) = %q, want %q", line, got, want)
		}
	}
}

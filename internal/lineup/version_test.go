//go:build unix

package lineup

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheVersionOfAnInstalledProgram(t *testing.T) {
	tests := []struct {
		name, file, json, want string
	}{
		{"a file that is called by it", "share/claude/versions/2.1.197", "", "2.1.197"},
		{"a folder that is called by it", "Caskroom/claude-code/2.1.200/claude", "", "2.1.200"},
		{"a package of npm", "node_modules/@anthropic-ai/claude-code/cli.js", `{"name": "x", "version": "2.1.198"}`, "2.1.198"},
		{"a package with a folder around its program", "node_modules/@anthropic-ai/claude-code/bin/claude.exe", `{"version": "2.1.199"}`, "2.1.199"},
		{"a package that cannot be read", "node_modules/claude/cli.js", `{`, ""},
		{"nothing tells", "opt/claude", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			file := filepath.Join(root, tt.file)
			bin := filepath.Join(root, "bin")
			for _, folder := range []string{filepath.Dir(file), bin} {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			if tt.json != "" {
				folder := filepath.Dir(file)
				if filepath.Base(folder) == "bin" {
					folder = filepath.Dir(folder)
				}
				if err := os.WriteFile(filepath.Join(folder, "package.json"), []byte(tt.json), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Symlink(file, filepath.Join(bin, "claude")); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin)
			if got := versionOf("claude"); got != tt.want {
				t.Errorf("version %q, want %q", got, tt.want)
			}
		})
	}
}

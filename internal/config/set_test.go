package config

import (
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	tests := []struct{ name, file, key, value, want string }{
		{"an empty file", "", "loop.max_iterations", "5", "[loop]\nmax_iterations = 5\n"},
		{"another value keeps the comment", "[loop]\nmax_iterations = 5  # five # is enough\nmax_time = \"1h\"\n", "loop.max_iterations", "7", "[loop]\nmax_iterations = 7  # five # is enough\nmax_time = \"1h\"\n"},
		{"a text with a sign of a comment in it", "agent = 'a#b' # mine\n", "agent", "claude", "agent = \"claude\" # mine\n"},
		{"a dotted key stays one", "loop.max_iterations = 5\n[git]\ncommit = true\n", "loop.max_iterations", "7", "loop.max_iterations = 7\n[git]\ncommit = true\n"},
		{"a table that is there", "# mine\n[loop] # limits\nmax_time = \"1h\"\n", "loop.max_iterations", "7", "# mine\n[loop] # limits\nmax_iterations = 7\nmax_time = \"1h\"\n"},
		{"a new table, in a file without a last newline", "agent = \"claude\"", "git.commit", "true", "agent = \"claude\"\n\n[git]\ncommit = true\n"},
		{"a key without a table", "[git]\ncommit = true\n", "agent", "claude", "agent = \"claude\"\n[git]\ncommit = true\n"},
	}
	for _, tt := range tests {
		got, err := Set([]byte(tt.file), "refrain.toml", tt.key, tt.value)
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct{ name, file, key, value, want string }{
		{"an unknown key", "", "loop.max_iteration", "5", "unknown key"},
		{"a bad value", "", "loop.max_iterations", "many", "must be"},
		{"a gate", "", "gate.test.run", "true", ""},
		{"a value of several lines", "[git]\n[loop]\non_interrupt = \"\"\"\ntwo-step\"\"\"\n", "loop.on_interrupt", "kill", "cannot be changed"},
		{"a file that is wrong", "agent = \n", "agent", "claude", "not valid TOML"},
		{"an inline table", "loop = { max_iterations = 5, max_time = \"1h\" }\n", "loop.max_iterations", "7", "cannot be changed"},
	}
	for _, tt := range tests {
		got, err := Set([]byte(tt.file), "refrain.toml", tt.key, tt.value)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %q, %v, want an error with %q", tt.name, got, err, tt.want)
		}
	}
}

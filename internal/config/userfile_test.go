package config

import (
	"path/filepath"
	"testing"
)

func TestUserFile(t *testing.T) {
	home, xdg := t.TempDir(), t.TempDir()
	tests := []struct {
		name string
		env  map[string]string
		want string
	}{
		{"XDG_CONFIG_HOME", map[string]string{"XDG_CONFIG_HOME": xdg, "HOME": home}, filepath.Join(xdg, "refrain", "config.toml")},
		{"a relative XDG_CONFIG_HOME is passed over", map[string]string{"XDG_CONFIG_HOME": "x", "HOME": home}, filepath.Join(home, ".config", "refrain", "config.toml")},
		{"HOME", map[string]string{"HOME": home}, filepath.Join(home, ".config", "refrain", "config.toml")},
		{"nothing", nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := UserFile(func(name string) string { return tt.env[name] }); got != tt.want {
				t.Errorf("UserFile = %q, want %q", got, tt.want)
			}
		})
	}
}

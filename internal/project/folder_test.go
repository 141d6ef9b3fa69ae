package project

import (
	"path/filepath"
	"testing"
)

func TestFolder(t *testing.T) {
	home := t.TempDir()
	tests := []struct {
		name, system string
		env          map[string]string
		want         string
	}{
		{"XDG_STATE_HOME is first", "linux", map[string]string{"XDG_STATE_HOME": filepath.Join(home, "x"), "HOME": home}, filepath.Join(home, "x", "refrain")},
		{"on macOS too", "darwin", map[string]string{"XDG_STATE_HOME": filepath.Join(home, "x"), "HOME": home}, filepath.Join(home, "x", "refrain")},
		{"else Linux has its own", "linux", map[string]string{"HOME": home}, filepath.Join(home, ".local", "state", "refrain")},
		{"a relative one is passed over", "linux", map[string]string{"XDG_STATE_HOME": "x", "HOME": home}, filepath.Join(home, ".local", "state", "refrain")},
		{"and macOS", "darwin", map[string]string{"HOME": home}, filepath.Join(home, "Library", "Application Support", "refrain")},
		{"and Windows", "windows", map[string]string{"LocalAppData": home}, filepath.Join(home, "refrain")},
		{"without a home there is none", "linux", nil, ""},
		{"nor with a relative one", "linux", map[string]string{"HOME": "x"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := folderOn(tt.system, func(name string) string { return tt.env[name] })
			if got != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("folder = %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

package gate

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSetup(t *testing.T) {
	for _, tt := range []struct {
		name     string
		files    []string
		command  string
		lockfile string
	}{
		{"nothing", nil, "", ""},
		{"tools that install on their own", []string{"go.sum", "Cargo.lock", "pom.xml", "gradle.lockfile"}, "", ""},
		{"npm", []string{"package.json", "package-lock.json"}, "npm ci", "package-lock.json"},
		{"classic yarn", []string{"yarn.lock"}, "yarn install --frozen-lockfile", "yarn.lock"},
		{"later yarn", []string{"yarn.lock", ".yarnrc.yml"}, "yarn install --immutable", "yarn.lock"},
		{"two lockfiles of one ecosystem", []string{"package-lock.json", "pnpm-lock.yaml"}, "pnpm install --frozen-lockfile", "pnpm-lock.yaml"},
		{"two ecosystems", []string{"package-lock.json", "uv.lock"}, "npm ci && uv sync --frozen", "package-lock.json, uv.lock"},
		{"a folder is no lockfile", []string{"mix.lock/file"}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range tt.files {
				write(t, dir, name)
			}
			command, lockfile := Setup(dir)
			if command != tt.command || lockfile != tt.lockfile {
				t.Errorf("Setup = %q, %q; want %q, %q", command, lockfile, tt.command, tt.lockfile)
			}
		})
	}
}

func TestDependencies(t *testing.T) {
	dir := t.TempDir()
	if got := Dependencies(dir); got != nil {
		t.Errorf("an empty folder has %q", got)
	}
	write(t, dir, "node_modules/a/index.js")
	write(t, dir, "vendor/bundle/b.rb")
	write(t, dir, "deps") // a file
	if err := os.Symlink("node_modules", filepath.Join(dir, "venv")); err != nil {
		t.Skipf("no links here: %v", err)
	}
	if got, want := Dependencies(dir), []string{"node_modules", "vendor/bundle", "vendor"}; !slices.Equal(got, want) {
		t.Errorf("Dependencies = %q, want %q", got, want)
	}
}

func write(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestInstalledIsWhatAnInstallReads(t *testing.T) {
	read := func(text string) (string, bool) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		content, whole := Installed(dir, "package.json")
		return string(content), whole
	}
	plain, whole := read(`{"name": "a", "scripts": {"test": "jest"}, "dependencies": {"x": "1"}}`)
	if !whole {
		t.Error("a plain manifest is not known as a whole")
	}
	for _, tt := range []struct {
		name, text  string
		same, whole bool
	}{
		{"another script and version", `{"version": "2", "scripts": {"test": "jest --ci", "lint": "eslint"}, "dependencies": {"x": "1"}}`, true, true},
		{"another dependency", `{"dependencies": {"x": "1", "y": "1"}}`, false, true},
		{"one for development", `{"dependencies": {"x": "1"}, "devDependencies": {"y": "1"}}`, false, true},
		{"a script that runs on install", `{"scripts": {"prepare": "make"}, "dependencies": {"x": "1"}}`, false, false},
		{"packages beside it", `{"workspaces": ["packages/*"], "dependencies": {"x": "1"}}`, false, false},
		{"nothing that can be read", `{`, false, false},
	} {
		content, whole := read(tt.text)
		if whole != tt.whole || (content == plain) != tt.same {
			t.Errorf("%s: whole %v, the same %v; want %v, %v", tt.name, whole, content == plain, tt.whole, tt.same)
		}
	}
}

//go:build unix

package intake

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A repository may hold anything in the place of a file.
func TestHostileFiles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		make  func(t *testing.T, tree string)
		agent string
		want  string // the only thing found: path, what, and whether it can be vouched for
	}{
		{"a named pipe", func(t *testing.T, tree string) {
			must(t, syscall.Mkfifo(filepath.Join(tree, ".mcp.json"), 0o600))
		}, "claude", ".mcp.json: a named pipe, not a file, no hash"},
		{"a named pipe for a folder", func(t *testing.T, tree string) {
			must(t, syscall.Mkfifo(filepath.Join(tree, ".opencode"), 0o600))
		}, "opencode", ".opencode: a named pipe, not a file, no hash"},
		{"a folder for a file", func(t *testing.T, tree string) {
			must(t, os.Mkdir(filepath.Join(tree, ".mcp.json"), 0o700))
		}, "claude", ""},
		{"a link out of the tree", func(t *testing.T, tree string) {
			must(t, os.WriteFile(filepath.Join(tree, "..", "secret"), []byte("x"), 0o600))
			must(t, os.Symlink("../secret", filepath.Join(tree, ".mcp.json")))
		}, "claude", ".mcp.json: a link that leads out of the tree: ../secret, hash"},
		{"a link out of the tree to nothing", func(t *testing.T, tree string) {
			must(t, os.Symlink("/not/there", filepath.Join(tree, ".mcp.json")))
		}, "claude", ".mcp.json: a link that leads out of the tree: /not/there, hash"},
		{"a folder that is a link out of the tree", func(t *testing.T, tree string) {
			outside := filepath.Join(tree, "..", "outside")
			must(t, os.Mkdir(outside, 0o700))
			must(t, os.WriteFile(filepath.Join(outside, "settings.json"), []byte("{}"), 0o600))
			must(t, os.Symlink("../outside", filepath.Join(tree, ".claude")))
		}, "claude", ".claude: a link that leads out of the tree: ../outside, hash"},
		{"a folder that is a link in the tree", func(t *testing.T, tree string) {
			must(t, os.Mkdir(filepath.Join(tree, "x"), 0o700))
			must(t, os.WriteFile(filepath.Join(tree, "x", "settings.json"), []byte("{}"), 0o600))
			must(t, os.Symlink("x", filepath.Join(tree, ".claude")))
		}, "claude", ".claude/settings.json: 1 line, hash"},
		{"a huge file", func(t *testing.T, tree string) {
			f, err := os.Create(filepath.Join(tree, ".mcp.json"))
			must(t, err)
			must(t, f.Truncate(1<<40))
			must(t, f.Close())
		}, "claude", ".mcp.json: cannot be read: it is larger than 16 MB, no hash"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := filepath.Join(t.TempDir(), "tree")
			must(t, os.Mkdir(tree, 0o700))
			tt.make(t, tree)
			list, err := Find(t.Context(), tt.agent, Where{Tree: tree})
			must(t, err)
			var got []string
			for _, f := range list {
				vouched := "hash"
				if f.Hash == "" {
					vouched = "no hash"
				}
				got = append(got, f.Path+": "+f.What+", "+vouched)
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}

func TestALinkThatLeadsElsewhereHasAnotherHash(t *testing.T) {
	tree := t.TempDir()
	hashes := map[string]bool{}
	for _, target := range []string{"/not/here", "/not/there"} {
		at := filepath.Join(tree, ".mcp.json")
		os.Remove(at)
		must(t, os.Symlink(target, at))
		list, err := Find(t.Context(), "claude", Where{Tree: tree})
		must(t, err)
		hashes[list[0].Hash] = true
	}
	if len(hashes) != 2 {
		t.Errorf("%d hashes for two targets", len(hashes))
	}
}

func TestLinksInACircleAreNotFollowedForEver(t *testing.T) {
	tree := t.TempDir()
	plant(t, tree, map[string]string{".opencode/plugin/a.js": "x", ".opencode/plugin/b.js": "x"})
	must(t, os.Symlink("..", filepath.Join(tree, ".opencode", "plugin", "again")))
	must(t, os.Symlink(".", filepath.Join(tree, ".opencode", "plugin", "and-again")))
	checkNotVouchedFor(t, tree)
}

func TestTooManyFilesAreNotVouchedFor(t *testing.T) {
	tree := t.TempDir()
	for i := range maxFiles + 1 {
		plant(t, tree, map[string]string{".opencode/plugin/" + strconv.Itoa(i) + ".js": "x"})
	}
	checkNotVouchedFor(t, tree)
}

func checkNotVouchedFor(t *testing.T, tree string) {
	t.Helper()
	list, err := Find(t.Context(), "opencode", Where{Tree: tree})
	must(t, err)
	for _, f := range list {
		if f.Hash == "" {
			return
		}
	}
	t.Errorf("%d files are found, and all are vouched for", len(list))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

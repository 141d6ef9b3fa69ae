package adopt

import (
	"os"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/scaffold"
)

func TestWhatCouldNotBeFinishedLeavesNothing(t *testing.T) {
	// There is room for the name of this file, and none for that of its beginning.
	tooLong := "other/folder/" + strings.Repeat("x", 250)
	p := &Plan{Tree: t.TempDir(), Files: []scaffold.File{
		{Path: config.FileName, Text: "x", Mode: 0o644},
		{Path: "kept/made/a.md", Text: "x", Mode: 0o644},
		{Path: "kept/made/more/b.md", Text: "x", Mode: 0o644},
		{Path: tooLong, Text: "x", Mode: 0o644},
	}}
	if err := os.Mkdir(p.Tree+"/kept", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Write(); err == nil || !strings.Contains(err.Error(), "write other/folder/x") || strings.Contains(err.Error(), "take away") {
		t.Fatalf("Write = %v, want why the last file cannot be written", err)
	}
	entries, err := os.ReadDir(p.Tree)
	if err != nil || len(entries) != 1 || entries[0].Name() != "kept" {
		t.Errorf("there are %v, %v, want only the folder that was there", entries, err)
	}
	if inside, err := os.ReadDir(p.Tree + "/kept"); err != nil || len(inside) > 0 {
		t.Errorf("in the folder that was there are %v, %v, want nothing", inside, err)
	}
}

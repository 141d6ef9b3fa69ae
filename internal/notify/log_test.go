package notify

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

func TestLogKeepsEveryMessage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "messages.jsonl")
	n, err := newLog(Settings{Log: files.Anywhere(path)})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := n.Notify(t.Context(), message); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n"))
	if len(lines) != 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		var got Message
		if err := json.Unmarshal(line, &got); err != nil || got != message {
			t.Errorf("line %s, %v", line, err)
		}
	}
}

func TestLogThatCannotBeWritten(t *testing.T) {
	if err := (log{files.Anywhere(t.TempDir())}).Notify(t.Context(), message); err == nil {
		t.Error("a folder is taken for a file")
	}
}

package notify

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
)

// log keeps every message as a line of JSON in a file.
type log struct{ path string }

func newLog(s Settings) (Notifier, error) {
	if s.Log == "" {
		return nil, nil
	}
	return log{s.Log}, nil
}

// Notify appends the message in one write, since more than one run may share
// the file.
func (l log) Notify(_ context.Context, m Message) error {
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("write the message as JSON: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("make the folder of notify.log: %w", err)
	}
	f, err := files.Append(l.path, 0o600)
	if err != nil {
		return fmt.Errorf("open notify.log: %w", err)
	}
	_, err = f.Write(append(line, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("write notify.log: %w", err)
	}
	return nil
}

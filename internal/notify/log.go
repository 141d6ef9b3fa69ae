package notify

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/refrain-loop/refrain/internal/files"
)

// log keeps every message as a line of JSON in a file.
type log struct{ file files.Named }

func newLog(s Settings) (Notifier, error) {
	if s.Log.IsZero() {
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
	if err := l.file.MakeFolder(); err != nil {
		return fmt.Errorf("make the folder of notify.log: %w", err)
	}
	f, err := l.file.Append(0o600)
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

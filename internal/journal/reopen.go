package journal

import (
	"os"
	"path/filepath"
)

// PromptPath is where WritePrompt saves.
func (a *Attempt) PromptPath() string { return filepath.Join(a.dir, promptName) }

// OpenStdout opens what the agent printed, to read it again.
func (a *Attempt) OpenStdout() (*os.File, error) { return os.Open(a.stdout.path) }

package rehearsal

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/loop"
)

func write(f *values) act {
	path, content := f.path("write"), f.text("content")
	add, mode := f.flag("append"), fs.FileMode(f.mode("mode"))
	return func(p *player) error {
		content := p.fill(content)
		done := fmt.Sprintf("%d bytes written", len(content))
		return p.file("Write", path, done, func(root *os.Root, path string) error {
			return writeFile(root, path, content, add, mode)
		})
	}
}

// remove deletes a file or a whole folder. What is not there is deleted, so
// that a repeated iteration does not fail.
func remove(f *values) act {
	path := f.path("delete")
	return func(p *player) error {
		return p.file("Delete", path, "deleted", (*os.Root).RemoveAll)
	}
}

// file does one thing to a file, shown as a tool call. The root keeps links
// from leading out of the working directory.
func (p *player) file(tool, path, done string, do func(*os.Root, string) error) error {
	path = p.fill(path)
	id, err := p.call(tool, path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(p.dir)
	if err != nil {
		return fmt.Errorf("open the working directory: %w", err)
	}
	defer root.Close()
	if err := do(root, path); err != nil {
		return err // names the act and the file
	}
	return p.emit(&loop.AgentToolResult{ID: id, Name: tool, Output: done})
}

func writeFile(root *os.Root, path, content string, add bool, mode fs.FileMode) error {
	if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	flags := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	if add {
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	}
	file, err := root.OpenFile(path, flags, 0o644)
	if err != nil {
		return err
	}
	if _, err := file.WriteString(content); err != nil {
		_ = file.Close()
		return err
	}
	if err := file.Close(); err != nil || mode == 0 {
		return err
	}
	return root.Chmod(path, mode)
}

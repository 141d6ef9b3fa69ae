package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
)

// MakeReady makes the folders that a policy can only open when they are there:
// those of the run, and those that an agent or a tool would make first of all.
func (p Place) MakeReady() error {
	list := []string{p.Said, p.Proof, p.Upper, p.Cache, filepath.Join(p.State, "sockets")}
	for role := range roleNames {
		list = append(list, p.TempOf(role), p.upperOf(role))
	}
	for _, name := range append(p.Agents, p.Reviews...) {
		if state := agent.TraitsOf(name).State; state.Folder != "" {
			list = append(list, p.folder(state))
			for _, more := range state.More {
				if strings.HasSuffix(more, "/") {
					list = append(list, filepath.Join(p.Home, more))
				}
			}
		}
	}
	list = append(list, p.unmade()...)
	// Where our own settings are not yet, they can not be hidden.
	if slices.Contains(p.Escapes(), homeOpen) {
		list = append(list, filepath.Join(p.Home, ".config", "refrain"))
	}
	for _, dir := range list {
		if dir == "" || !filepath.IsAbs(dir) {
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make a folder for the sandbox: %w", err)
		}
	}
	return nil
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

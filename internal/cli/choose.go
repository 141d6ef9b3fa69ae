package cli

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
)

// choose asks which of several agents is meant, once, and remembers it in the
// user's own settings. Without a terminal there is nobody to ask.
func (sh *shell) choose(err error) ([]config.Flag, error) {
	var choice *app.ChoiceError
	if !errors.As(err, &choice) || !isTerminal(sh.in) || !isTerminal(sh.out) {
		return nil, err
	}
	for i, name := range choice.Agents {
		fmt.Fprintf(sh.out, "  %d  %s\n", i+1, name)
	}
	fmt.Fprintf(sh.out, "Which agent? It will be remembered. [1-%d] ", len(choice.Agents))
	line, readErr := bufio.NewReader(sh.in).ReadString('\n')
	if readErr != nil {
		return nil, err
	}
	answer := strings.TrimSpace(line)
	for i, name := range choice.Agents {
		if answer != name && answer != strconv.Itoa(i+1) {
			continue
		}
		if path := config.UserFile(os.Getenv); path != "" {
			if err := remember(path, name); err != nil {
				fmt.Fprintf(sh.err, "WARNING: not remembered: %v\n", err)
			}
		}
		return []config.Flag{{Name: "--agent", Key: "agent", Value: name}}, nil
	}
	return nil, usage(fmt.Sprintf("%q is none of them", answer), "choose one with -a NAME")
}

// remember puts the agent at the top of the user's settings, where it belongs
// to no table.
func remember(path, name string) error {
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, append(fmt.Appendf(nil, "agent = %q\n", name), old...), 0o600)
}

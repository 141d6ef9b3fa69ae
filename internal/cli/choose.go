package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/lineup"
)

// choose asks which of several agents is meant, once, and remembers it in the
// user's own settings. Without a terminal there is nobody to ask.
func (sh *shell) choose(err error) ([]config.Flag, error) {
	var choice *lineup.ChoiceError
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

// mostSettings is more than any file of settings has.
const mostSettings = 4 << 20

// remember puts the agent into the user's settings: in the place of one that is
// there, else at the top, where it belongs to no table.
func remember(path, name string) error {
	old, err := files.ReadFile(context.Background(), path, mostSettings)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return files.Replace(path, []byte(withAgent(string(old), name)), 0o600, files.NoSync)
}

// agentLine is a line that names the agent, before the first table.
var agentLine = regexp.MustCompile(`(?m)^[ \t]*agent[ \t]*=.*$`)

func withAgent(settings, name string) string {
	line := fmt.Sprintf("agent = %q", name)
	top, tables := settings, ""
	if at := strings.Index("\n"+settings, "\n["); at >= 0 {
		top, tables = settings[:at], settings[at:]
	}
	if found := agentLine.FindStringIndex(top); found != nil {
		return top[:found[0]] + line + top[found[1]:] + tables
	}
	return line + "\n" + settings
}

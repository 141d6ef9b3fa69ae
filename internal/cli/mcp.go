package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/mcp"
)

func mcpCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Let another agent look after the runs here, as an MCP server on stdin and stdout",
		Long: "Speak the Model Context Protocol on stdin and stdout, so that an agent can look after the runs of this work tree:\n" +
			"list them, watch one, read its iterations, leave a note, pause, resume, skip, reboot and stop. It can start runs and\n" +
			"raise limits only if you allow it. An MCP client starts this command; docs/mcp.md says how.",
		Example: "  claude mcp add refrain -- refrain mcp\n" +
			"  refrain mcp -C ~/project --read-only",
		Args: noArguments,
	}
	f := cmd.Flags()
	readOnly := f.Bool("read-only", false, "offer only the tools that change nothing")
	start := f.Bool("allow-start", false, "offer a tool that starts runs")
	raise := f.Bool("allow-raise", false, "offer a tool that raises the limits of a live run")
	cmd.PreRunE = exclusive([][2]string{{"read-only", "allow-start"}, {"read-only", "allow-raise"}})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		ctx, stop := sh.untilSignal(cmd.Context())
		defer stop()
		if isTerminal(sh.in) {
			fmt.Fprintln(sh.err, "This is for an MCP client, which talks JSON on stdin; docs/mcp.md says how to set one up. Ctrl+C ends it.")
		}
		o := mcp.Options{
			Version: Version, Store: sh.store, Look: lookAt, Follow: control.Follow,
			Inside: os.Getenv("REFRAIN_RUN_ID"), ReadOnly: *readOnly, Raise: *raise,
		}
		if *start {
			o.Start = func(ctx context.Context, args []string) (string, error) { return startDetached(ctx, sh, args) }
		}
		return mcp.Serve(ctx, o, io.NopCloser(sh.in), unclosed{sh.out})
	}
	return cmd
}

// unclosed is an output that stays open when the client has gone.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// startDetached starts a run as a person would type it, and gives its name.
func startDetached(ctx context.Context, sh *shell, args []string) (string, error) {
	store, err := sh.store()
	if err != nil {
		return "", err
	}
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("start a run: %w", err)
	}
	before, _ := store.Find("") // there may be none
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, self, append([]string{"run", "--dir", store.Tree, "--detach"}, args...)...)
	cmd.Stderr = &complaint
	err = cmd.Run()
	// A run that has ended by now, however it did, was started all the same.
	started, findErr := store.Find("")
	if err == nil || findErr == nil && started.ID != before.ID {
		return started.Name, findErr
	}
	said := strings.ReplaceAll("\n"+strings.TrimSpace(complaint.String()), "\nrefrain: ", "\n") // there may be several
	if said = strings.TrimSpace(said); said != "" {
		return "", errors.New(said)
	}
	return "", fmt.Errorf("start a run: %w", err)
}

package cli

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"syscall"

	"github.com/spf13/cobra"
)

func versionCommand(sh *shell) *cobra.Command { return versionCommandOf(sh, ourName) }

// versionCommandOf is the command of a program.
func versionCommandOf(sh *shell, program string) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		if *asJSON {
			return printJSON(sh.out, map[string]string{
				"version": Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
			})
		}
		fmt.Fprintln(sh.out, versionLine(program))
		return nil
	}
	return cmd
}

func versionLine(program string) string {
	return fmt.Sprintf("%s %s (%s, %s/%s)", program, Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// onlyVersion tells whether nothing but the version is asked for: then no command has
// to be made to say it.
func onlyVersion(args []string) bool {
	return len(args) == 1 && (args[0] == "--version" || args[0] == "-v")
}

// printVersion prints the version, as the flag does beside others.
func printVersion(out, stderr io.Writer) (status int) {
	_, err := fmt.Fprintln(out, versionLine(ourName))
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return 0
	}
	told := explain(err)
	told.print(stderr)
	return told.status
}

package cli

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
)

func versionCommand(sh *shell) *cobra.Command {
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
		fmt.Fprintln(sh.out, versionLine())
		return nil
	}
	return cmd
}

func versionLine() string {
	return fmt.Sprintf("refrain %s (%s, %s/%s)", Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

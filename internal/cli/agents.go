package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/view"
)

func agentsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents that are built in and configured",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		settings, err := sh.settings(app.Request{})
		if err != nil {
			return err
		}
		list := app.Agents(settings)
		if *asJSON {
			return printJSON(sh.out, list)
		}
		w := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "AGENT\tFROM\tFOUND\tCALLED AS")
		for _, a := range list {
			from, found := "refrain.toml", "no"
			if a.BuiltIn {
				from = "built in"
			}
			if a.Found {
				found = "yes"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Name, from, found, view.Line(a.CalledAs()))
		}
		return w.Flush()
	}
	return cmd
}

// settings resolves the settings of this work tree.
func (sh *shell) settings(req app.Request) (*config.Resolved, error) {
	tree, err := config.Root(sh.dir)
	if err != nil {
		return nil, usage(err.Error(), "name an existing folder with -C")
	}
	return config.Load(app.Sources(tree, req))
}

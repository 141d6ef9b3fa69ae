package cli

import (
	"fmt"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/doctor"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func agentsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents that are built in and configured",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	prices := cmd.Flags().Bool("prices", false, "list what models cost: by these an agent's cost is estimated where it does not tell")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		here, err := request.In(sh.dir, request.Request{})
		if err != nil {
			return err
		}
		if *prices {
			return showPrices(sh, lineup.Prices(here.Settings), *asJSON)
		}
		list := doctor.Agents(cmd.Context(), here)
		if *asJSON {
			return printJSON(sh.out, list)
		}
		w := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "AGENT\tFROM\tVERSION\tCALLED AS")
		for _, a := range list {
			from := "refrain.toml"
			if a.BuiltIn {
				from = "built in"
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Name, from, versionOf(a), text.Line(a.CalledAs()))
		}
		return w.Flush()
	}
	return cmd
}

func showPrices(sh *shell, list []lineup.Price, asJSON bool) error {
	if asJSON {
		return printJSON(sh.out, list)
	}
	w := tabwriter.NewWriter(sh.out, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "MODEL\tINPUT\tOUTPUT\tCACHE READ\tCACHE WRITE\tWINDOW\tFROM\t")
	for _, p := range list {
		window := "-"
		if p.Window > 0 {
			window = text.Count(p.Window)
		}
		fmt.Fprintf(w, "%s\t%g\t%g\t%g\t%g\t%s\t%s\t\n", p.Model, p.Input, p.Output, p.CacheRead, p.CacheWrite, window, p.From)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(sh.out, "\nUS dollars for a million tokens. A model goes by the longest of these names that its own begins with.\nChange one or add your own in refrain.toml:\n\n  [prices.\"my-model\"]\n  input = 1.5\n  output = 6.0")
	return nil
}

func versionOf(a doctor.AgentInfo) string {
	switch {
	case !a.Found:
		return "not found"
	case a.Version == "":
		return "-"
	}
	return view.Fit(a.Version, 32)
}

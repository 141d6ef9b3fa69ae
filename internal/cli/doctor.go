package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/doctor"
	"github.com/refrain-loop/refrain/internal/request"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func doctorCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check git, locks, disk, settings, processes, terminal and agents",
		Long: "Check what a run here needs, and say what to do about each problem. It changes nothing and asks no\n" +
			"model. The exit status is 1 when something would keep a run from working.",
		Args: noArguments,
	}
	asJSON := addJSON(cmd)
	notices := cmd.Flags().Bool("notify", false, "send a test message to every channel of notify, and tell what came of it")
	addTrust(cmd.Flags())
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, _ []string) error {
		var checks []doctor.Check
		err := sh.agreeing(func() (err error) {
			checks, err = examine(cmd.Context(), sh, *notices, consent(cmd.Flags()))
			return err
		})
		if err != nil {
			return err
		}
		for _, c := range checks {
			if c.Level == doctor.Problem {
				sh.status = statusFailed
			}
		}
		if *asJSON {
			return printJSON(sh.out, checks)
		}
		tellChecks(sh, checks)
		return nil
	})
	return cmd
}

func tellChecks(sh *shell, checks []doctor.Check) {
	table := lines.Table{Columns: []lines.Column{{}, {}, {Wraps: true}}}
	for _, c := range checks {
		table.Add(string(c.Level), c.Name, text.Line(c.Found))
		if c.Remedy != "" {
			table.Add("", "", "→ "+text.Line(c.Remedy))
		}
	}
	sh.print(&table)
}

// examine looks at what a run needs, or tries the channels by which people are
// told.
func examine(ctx context.Context, sh *shell, notices bool, agreed request.Consent) ([]doctor.Check, error) {
	if notices {
		sender, err := app.NewSender(ctx, sh.dir, request.Request{Consent: agreed})
		if err != nil {
			return nil, err
		}
		defer sender.Close()
		return doctor.TestNotices(ctx, sender), nil
	}
	checks, err := doctor.Examine(ctx, sh.dir)
	return append(checks, checkTerminal(sh)), err
}

// checkTerminal says how a run would be shown here.
func checkTerminal(sh *shell) doctor.Check {
	const name = "terminal"
	switch {
	case !isTerminal(sh.out):
		return doctor.Check{Name: name, Level: doctor.Fine, Found: "stdout is not a terminal: runs are shown in plain lines"}
	case os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == "":
		return doctor.Check{Name: name, Level: doctor.Worry, Found: "TERM says that it can do nothing", Remedy: "set TERM, or use -o plain"}
	}
	look := sh.look()
	colours := "without colours"
	if look.Color {
		colours = "with colours"
	}
	return doctor.Check{Name: name, Level: doctor.Fine, Found: fmt.Sprintf("%d columns, %s", look.Width(), colours)}
}

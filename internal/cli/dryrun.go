package cli

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/text"
)

func dryRun(sh *shell, job *app.Job, asJSON bool) error {
	plan, err := job.DryRun()
	if err != nil {
		return err
	}
	return tellDryRun(sh, plan, asJSON)
}

func tellDryRun(sh *shell, plan app.DryRun, asJSON bool) error {
	if asJSON {
		return printJSON(sh.out, plan)
	}
	fmt.Fprintf(sh.out, "[DRY RUN] Procedure: %s\n", plan.Procedure)
	fmt.Fprintf(sh.out, "[DRY RUN] Would execute with: %s\n", plan.Command)
	fmt.Fprintf(sh.out, "[DRY RUN] Token count: %s / %s budget\n", text.Count(plan.Tokens), text.Count(plan.Budget))
	for _, w := range plan.Warnings {
		fmt.Fprintf(sh.err, "WARNING: %s\n", w.Text)
	}
	if plan.Prompt != "" {
		fmt.Fprintf(sh.out, "\n%s\n", strings.TrimSuffix(plan.Prompt, "\n"))
	}
	return nil
}

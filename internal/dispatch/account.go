package dispatch

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func accountCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "account [QUEUE]", Short: "Show what the runs of a queue may use together, or change it",
		Long: "Show what the runs of a queue may use together and have used, or change it: how many agents work at once,\n" +
			"what they may spend, and until when none is started, as while a provider turns everybody away. 0 is no limit.",
		Example: "  refrain fleet account\n  refrain fleet account team --slots 4 --cost 200\n  refrain fleet account --until 2h",
		Args:    cli.AtMost(1),
	}
	asJSON := cli.AddJSON(cmd)
	f := cmd.Flags()
	f.String("slots", "", "how many agents may work at once")
	f.String("cost", "", "what they may spend together, in dollars")
	f.String("tokens", "", "how many tokens they may use together")
	f.String("until", "", "no agent is started before: a time such as 2026-01-31T18:00, a duration from now, or \"now\"")
	cmd.RunE = p.asking(func(ctx context.Context, service fleet.Service, cmd *cobra.Command, args []string) error {
		set, err := allowance(cmd, time.Now())
		if err != nil {
			return err
		}
		queue, err := p.queue(first(args))
		if err != nil {
			return err
		}
		a, err := service.Account(ctx, queue, set)
		if err != nil {
			return err
		}
		if *asJSON {
			return p.PrintJSON(a)
		}
		p.Print(accountCard(a, time.Now()))
		return nil
	})
	return cmd
}

// allowance is what the flags change; nil: nothing.
func allowance(cmd *cobra.Command, now time.Time) (*fleet.Allowance, error) {
	var set fleet.Allowance
	given := func(name string) (value string, ok bool) {
		flag := cmd.Flags().Lookup(name)
		return flag.Value.String(), flag.Changed
	}
	if v, ok := given("slots"); ok {
		n, err := strconv.Atoi(v)
		if err != nil || n < 0 {
			return nil, cli.UsageError(fmt.Sprintf("--slots takes a whole number, not %q", v), "0 is as many as the workers have room for")
		}
		set.Slots = &n
	}
	if v, ok := given("cost"); ok {
		usd, err := strconv.ParseFloat(v, 64)
		if err != nil || !(usd >= 0 && usd < 1e12) {
			return nil, cli.UsageError(fmt.Sprintf("--cost takes dollars, not %q", v), "write it like --cost 20; 0 is no limit")
		}
		set.CostUSD = &usd
	}
	if v, ok := given("tokens"); ok {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			return nil, cli.UsageError(fmt.Sprintf("--tokens takes a whole number, not %q", v), "0 is no limit")
		}
		set.Tokens = &n
	}
	if v, ok := given("until"); ok {
		until, err := untilTime(v, now)
		if err != nil {
			return nil, err
		}
		set.Until = &until
	}
	if set == (fleet.Allowance{}) {
		return nil, nil
	}
	return &set, nil
}

// untilTime reads a time: of the clock here, or from now on.
func untilTime(s string, now time.Time) (time.Time, error) {
	if s == "now" {
		return time.Time{}, nil
	}
	if d, err := setting.ReadDuration(s); err == nil {
		return now.Add(d).UTC(), nil
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t.UTC(), nil
	}
	for _, form := range []string{"2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(form, s, time.Local); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, cli.UsageError(fmt.Sprintf("--until %q is no time", s), "write it like 2026-01-31T18:00, 90m or now")
}

// accountCard is what an account allows, and what was used of it.
func accountCard(a fleet.Account, now time.Time) *term.Table {
	t := &term.Table{Columns: []term.Column{{}, {Wraps: true}}}
	t.Add("queue", text.Line(a.Queue))
	slots, busy := "as many as the workers have room for", 0
	if a.Slots > 0 {
		slots = fmt.Sprint(a.Slots)
	}
	for _, p := range a.Portions {
		busy += p.Busy
	}
	t.Add("agents at once", fmt.Sprintf("%s; %d at work", slots, busy))
	t.Add("spent", used(view.Dollars(a.SpentUSD, false), a.CostUSD > 0, view.Dollars(a.CostUSD, false)))
	t.Add("tokens", used(text.Count(int(a.SpentTokens)), a.Tokens > 0, text.Count(int(a.Tokens))))
	if a.Broke() {
		t.Add("nothing is left", "raise it with \"refrain fleet account --cost\" or \"--tokens\"")
	}
	if a.Until.After(now) {
		t.Add("nobody works before", view.Clock(a.Until, now))
	}
	t.Add("workers", fmt.Sprint(len(a.Portions)))
	return t
}

func used(spent string, limited bool, limit string) string {
	if !limited {
		return spent
	}
	return spent + " of " + limit
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// The commands here talk to a live run, from any terminal.

func pauseCommand(sh *shell) *cobra.Command {
	return talk(sh, "pause [RUN]", "Hold a live run before its next iteration", control.Pause)
}

func skipCommand(sh *shell) *cobra.Command {
	return talk(sh, "skip [RUN]", "End the agent that runs and go on with the next iteration", control.Skip)
}

func rebootCommand(sh *shell) *cobra.Command {
	return talk(sh, "reboot [RUN]", "Give up the agent's session and begin a fresh one", control.Reboot)
}

func parkCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "park [RUN]", "Leave a live run after this iteration, to go on with later or elsewhere", control.Park)
	cmd.Long = "Leave a live run after this iteration, or at once where it waits or is paused. It has no end then: its runner is gone,\n" +
		"nothing is left running, and \"refrain resume\" goes on with it. \"refrain carry\" takes it to another machine."
	return cmd
}

func stopCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "stop [RUN]", "Stop a live run after this iteration, or now", control.Stop)
	now := cmd.Flags().Bool("now", false, "end the agent, too")
	say := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *now {
			return sayTo(sh, cmd, first(args), control.Command{Command: control.StopNow})
		}
		return say(cmd, args)
	}
	return cmd
}

func noteCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "note [RUN] TEXT…", "Tell the next agent of a live run something", control.Note)
	cmd.Example = "  refrain note 'The API key is in .env.test'\n  refrain note build-7 use tabs, not spaces"
	cmd.Args = some("a text")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, note := noteFor(args, sh.isRun)
		if strings.TrimSpace(note) == "" {
			return usage("the note is empty", "write what the next agent should know")
		}
		return sayTo(sh, cmd, ref, control.Command{Command: control.Note, Text: note})
	}
	return cmd
}

// noteFor finds the run that a note is for, if one is named: before the text, or
// behind it. Of single words only the whole name of a run is one: "last" and others
// may be the text's.
func noteFor(args []string, isRun func(string) bool) (ref, note string) {
	last := len(args) - 1
	switch {
	case last == 0:
		return "", args[0]
	case isRun(args[0]):
		return args[0], strings.Join(args[1:], " ")
	case isRun(args[last]), last == 1 && strings.ContainsAny(args[0], " \t\n"): // the text was quoted, so the other is no part of it
		return args[last], strings.Join(args[:last], " ")
	}
	return "", strings.Join(args, " ")
}

// isRun tells whether a word is the whole name of a run.
func (sh *shell) isRun(word string) bool {
	if sh.machine {
		list, err := everyLive()
		return err == nil && slices.ContainsFunc(list, func(r history.LiveRun) bool { return r.Name == word })
	}
	store, err := sh.store()
	if err != nil || word == "" {
		return false
	}
	entry, err := store.Find(word)
	return err == nil && entry.Name == word
}

// raiseFlags are the limits that a live run can be given anew, as run takes them.
var raiseFlags = limitFlags[:4]

func raiseCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "raise [RUN] [KEY=VALUE…]", "Change a limit of a live run", control.Raise)
	cmd.Long = "Change a limit of a live run, by a flag or by its key: loop.max_iterations, loop.max_time, budget.cost_usd, budget.tokens or limits.max_wait.\n" +
		"The value is the new total, not an addition; 0 is no limit."
	cmd.Example = "  refrain raise --max-cost 20\n  refrain raise build-7 -n 100 --max-time 8h\n  refrain raise build-7 limits.max_wait=6h"
	addFlags(cmd.Flags(), raiseFlags)
	cmd.Args = nil
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, orders, err := raises(cmd.Flags(), args)
		if err != nil {
			return err
		}
		for _, order := range orders {
			if err := sayTo(sh, cmd, ref, order); err != nil || sh.status != 0 {
				return err
			}
		}
		return nil
	}
	return cmd
}

// raises sorts what raise was given: limits, and a run before or behind them.
func raises(f *pflag.FlagSet, args []string) (ref string, orders []control.Command, err error) {
	for _, s := range raiseFlags {
		if flag := f.Lookup(s.name); flag.Changed {
			orders = append(orders, control.Command{Command: control.Raise, Key: s.key, Value: flag.Value.String()})
		}
	}
	for i, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		switch {
		case ok && key != "" && value != "":
			orders = append(orders, control.Command{Command: control.Raise, Key: key, Value: value})
		case ok || ref != "" || i > 0 && i < len(args)-1:
			return "", nil, usage(fmt.Sprintf("%q is not KEY=VALUE", arg), "write it like budget.cost_usd=20")
		default:
			ref = arg
		}
	}
	if len(orders) == 0 {
		return "", nil, usage("raise takes a limit and what it is to be", "write it like: refrain raise --max-cost 20, or budget.cost_usd=20")
	}
	return ref, orders, nil
}

func approveCommand(sh *shell) *cobra.Command {
	cmd := talk(sh, "approve [RUN] [ANSWER]", "Answer the question of an attended run", control.Approve)
	cmd.Long = "Answer the question that a run asks before it goes on: continue, skip, reboot or stop. Without an answer it continues."
	cmd.Example = "  refrain approve\n  refrain approve skip\n  refrain approve build-7 stop"
	cmd.Args = atMost(2)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		ref, answer := first(args), ""
		switch {
		case len(args) == 2:
			answer = args[1]
		case slices.Contains(app.Answers, ref):
			ref, answer = "", ref
		case ref != "":
			if _, _, err := sh.find(ref); err != nil {
				return usage(fmt.Sprintf("%q is neither a run nor an answer", ref), "the answers are "+strings.Join(app.Answers, ", "))
			}
		}
		return sayTo(sh, cmd, ref, control.Command{Command: control.Approve, Text: answer})
	}
	return cmd
}

// talk makes a command that says one thing to a live run.
func talk(sh *shell, use, short, command string) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: atMost(1), ValidArgsFunction: completeRuns(sh),
		RunE: func(cmd *cobra.Command, args []string) error {
			return sayTo(sh, cmd, first(args), control.Command{Command: command})
		},
	}
	sh.addMachine(cmd, findsMachine)
	cmd.Flags().Bool("no-wait", false, "do not wait until it has taken effect")
	addJSON(cmd)
	return cmd
}

// answered is an answer for scripts.
type answered struct {
	Run string `json:"run,omitempty"`
	control.Answer
}

// errJustEnded says that a run was alive a moment ago.
var errJustEnded = failure{"the run has just ended", "\"refrain status\" tells how", statusFailed}

// sayTo sends a command to a live run and tells what came of it.
func sayTo(sh *shell, cmd *cobra.Command, ref string, c control.Command) error {
	c.NoWait, _ = cmd.Flags().GetBool("no-wait")
	asJSON, _ := cmd.Flags().GetBool("json")
	run, err := sh.live(ref)
	var told failure
	if asJSON && errors.As(err, &told) && told.status == statusFailed {
		sh.status = statusFailed
		return printJSON(sh.out, answered{Run: run.Name, Answer: control.Answer{Why: told.what}})
	}
	if err != nil {
		return err
	}
	return give(cmd.Context(), sh, run, c, asJSON)
}

// give is a command for a run that is alive.
func give(ctx context.Context, sh *shell, run history.LiveRun, c control.Command, asJSON bool) error {
	ctx, ended := sh.untilSignal(ctx)
	defer ended()
	told := ""
	do := control.Dial(run.Socket).Do
	if !asJSON && !c.NoWait {
		do = func(ctx context.Context, c control.Command) (answer control.Answer, err error) {
			told, answer, err = sh.tellTaken(ctx, run, c)
			return answer, err
		}
	}
	answer, err := do(ctx, c)
	if ctx.Err() != nil { // by a signal
		if told != "" && sh.person() {
			fmt.Fprintf(sh.out, "%s: still %s\n", run.Name, told)
		}
		return nil
	}
	var refused *control.Refused
	switch {
	case errors.As(err, &refused) && asJSON:
		sh.status = statusFailed
		return printJSON(sh.out, answered{run.Name, control.Answer{State: refused.State, Why: refused.Why}})
	case errors.As(err, &refused):
		hint := "\"refrain status\" shows what it is doing"
		if c.Command == control.Raise {
			hint = "\"refrain raise --help\" lists the limits"
		}
		return failure{fmt.Sprintf("%s did not take %q: %s", run.Name, refused.Command, refused.Why), hint, statusFailed}
	case errors.Is(err, control.ErrNobody):
		unheard := unheardBy(run)
		if asJSON && !errors.Is(unheard, errJustEnded) {
			sh.status = statusFailed
			return printJSON(sh.out, answered{run.Name, control.Answer{Why: unheard.what}})
		}
		return unheard
	case errors.Is(err, control.ErrSilent) && asJSON:
		sh.status = statusFailed
		return printJSON(sh.out, answered{run.Name, control.Answer{Why: silentRun(run).what}})
	case errors.Is(err, control.ErrSilent):
		return silentRun(run)
	case err != nil:
		return err
	}
	if asJSON {
		return printJSON(sh.out, answered{run.Name, answer})
	}
	switch {
	case told == "":
		fmt.Fprintf(sh.out, "%s: %s\n", run.Name, answer.Effect)
	case sh.person() && answer.State != "":
		fmt.Fprintf(sh.out, "%s: %s\n", run.Name, view.People(answer.State, ""))
	}
	return nil
}

// tellTaken gives a run a command and says what it does about it as soon as the run
// has taken it. On a terminal it shows what it waits for, until that has happened.
func (sh *shell) tellTaken(ctx context.Context, run history.LiveRun, c control.Command) (told string, answer control.Answer, err error) {
	client := control.Dial(run.Socket)
	looking, enough := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer enough()
	events := make(chan loop.Event)
	wg.Go(func() {
		for e, err := range client.Events(looking, run.Seq()) {
			if err != nil {
				return // the answer is the run's, too
			}
			select {
			case events <- e:
			case <-looking.Done():
				return
			}
		}
	})
	done := make(chan struct{})
	wg.Go(func() {
		answer, err = client.Do(ctx, c)
		close(done)
	})
	var mu sync.Mutex
	shown := history.Look(run.Entry)
	var line *pulse
	for {
		select {
		case e := <-events:
			mu.Lock()
			shown.Apply(e)
			mu.Unlock()
			if p, ok := e.Payload.(*loop.CommandReceived); !ok || told != "" || p.Command != c.Command || p.Refused || p.Signal != "" {
				continue
			}
			told = e.Payload.(*loop.CommandReceived).Effect
			if !sh.person() {
				fmt.Fprintf(sh.out, "%s: %s\n", run.Name, told)
				continue
			}
			fmt.Fprintf(sh.out, "%s: %s (Ctrl+C leaves it so)\n", run.Name, told)
			line = sh.wait(func() string {
				mu.Lock()
				defer mu.Unlock()
				return "waiting: " + term.Position(shown) + ", " + text.Seconds(shown.Elapsed(time.Now()))
			})
		case <-done:
			if line != nil {
				line.end()
			}
			return told, answer, err
		}
	}
}

// A runner that ends closes its socket first. lastDeeds is what it may still have to
// do, and glance how often it is looked at.
const (
	lastDeeds = 2 * time.Second
	glance    = 50 * time.Millisecond
)

// unheardBy says why nobody is at the socket of a run: it has ended; or its runner is
// there, and somebody has taken the socket away.
func unheardBy(run history.LiveRun) failure {
	var holder journal.Holder
	for end := time.Now().Add(lastDeeds); ; time.Sleep(glance) {
		var alive bool
		holder, alive = run.Store.Holder()
		if e, err := run.Store.Load(run.Name); !alive || holder.Run != run.Name || holder.PID == 0 || err == nil && e.Finished != nil {
			return errJustEnded
		}
		if time.Now().After(end) {
			break
		}
	}
	return failure{
		fmt.Sprintf("%s takes no commands: nobody answers at %s, and its runner (pid %d) is there", run.Name, holder.Socket, holder.PID),
		fmt.Sprintf("stop it with \"kill %d\", and see who has touched the socket", holder.PID), statusFailed,
	}
}

// silentRun says that a run does not answer, and what a person can do.
func silentRun(run history.LiveRun) failure {
	f := failure{run.Name + " does not answer", "try again; if it stays so, end it with \"kill -KILL PID\" and go on with \"refrain resume\"", statusFailed}
	holder, alive := run.Store.Holder()
	if !alive || holder.PID == 0 {
		return f
	}
	if f.what = fmt.Sprintf("%s does not answer: its runner (pid %d) hangs", run.Name, holder.PID); proc.Stopped(holder.PID) {
		f.what = fmt.Sprintf("%s does not answer: its runner (pid %d) is stopped", run.Name, holder.PID)
	}
	f.hint = fmt.Sprintf("let it go on with \"kill -CONT %d\", or end it with \"kill -KILL %d\" and go on with \"refrain resume\"", holder.PID, holder.PID)
	return f
}

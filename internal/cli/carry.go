package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func carryCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "carry",
		Short: "Take a run to another machine, by way of a git remote",
		Long: "Take a run to another machine, by way of a git remote: push it here, fetch it there, and go on with\n" +
			"\"refrain resume\". It is in one place at a time. With it go its records, its checkpoints, the commit\n" +
			"and the branch that it is at, and the files of the work tree as they are; what git ignores stays.",
		Example: "  refrain park && refrain carry push build-7\n  refrain carry fetch build-7 --trust && refrain resume build-7",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(carryPush(sh), carryFetch(sh), carryLs(sh))
	return cmd
}

// usualRemote is the remote that is meant where none is named.
const usualRemote = "origin"

func carryPush(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "push RUN [REMOTE]", Short: "Take a parked or ended run away, for another machine to fetch", ValidArgsFunction: completeRuns(sh),
		Long: "Take a run that is parked or has ended to a remote, which is a name of git's, a URL or a folder;\n" +
			"without one it is where the run last came from, or origin. Then it does not go on here, until it is\n" +
			"fetched back. Your files stay as they are.",
		Args: between(1, 2, "name the run: refrain carry push RUN [REMOTE]"),
	}
	asJSON := addJSON(cmd)
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, args []string) error {
		store, entry, err := sh.find(args[0])
		if err != nil {
			return err
		}
		if err := belongsHere(sh, entry); err != nil {
			return err
		}
		meant, err := remoteOf(entry, args)
		if err != nil {
			return err
		}
		moved, err := carry.Place{Store: store.At(entry.Tree), Hide: app.Secrets(sh.dir), Stage: stages(sh.err, *asJSON)}.Push(cmd.Context(), entry.Name, meant)
		if err != nil {
			tellCutPush(cmd.Context(), sh, store, entry.Name)
			return err
		}
		if *asJSON {
			return printJSON(sh.out, moved)
		}
		sh.say("%s is on %s now, and does not go on here", moved.Run, moved.Remote)
		if moved.Since > 0 {
			sh.say("%s of the work tree changed since it was left, and went along", text.Plural(moved.Since, "file"))
		}
		tellStaying(sh, moved)
		sh.say("fetch it there, in a clone of the repository: refrain carry fetch %s %s --trust", moved.ID, moved.Remote)
		return nil
	})
	return cmd
}

func carryFetch(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "fetch RUN [REMOTE]", Short: "Bring a run that was pushed into this work tree, to go on with here",
		Long: "Bring a run from a remote into this work tree: its records, its checkpoints, its branch and its files.\n" +
			"RUN is its name there, its id or the beginning of that. A work tree with files that are not committed is\n" +
			"refused. What comes is believed: who can write to the remote can say what is run, and what was proven.",
		Args: between(1, 2, "name the run: refrain carry fetch RUN [REMOTE]"),
	}
	asJSON := addJSON(cmd)
	trusted := cmd.Flags().Bool("trust", false, "believe what comes from the remote")
	force := cmd.Flags().Bool("force", false, "take the run from who has it: what is done there from now on is lost")
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, args []string) error {
		store, err := sh.store()
		if err != nil {
			return err
		}
		meant := usualRemote
		if len(args) == 2 {
			meant = args[1]
		} else if entry, err := store.Find(args[0]); err == nil && entry.Name == args[0] {
			if meant, err = remoteOf(entry, args); err != nil {
				return err
			}
		}
		if !*trusted {
			return usage(
				fmt.Sprintf("what comes from %s is believed: who can write there says what a resume runs, and what was proven", meant),
				"if that is only you, or those whom you trust with it, pass --trust")
		}
		if store, err = store.Claim(); err != nil {
			return err
		}
		moved, err := carry.Place{Store: store, Stage: stages(sh.err, *asJSON)}.Fetch(cmd.Context(), args[0], meant, *force)
		if err != nil {
			if cmd.Context().Err() != nil {
				failure{what: "the fetch was cut short", hint: "say the same again: until it has come to its end, the run does not go on here"}.print(sh.err)
			}
			return err
		}
		if *asJSON {
			return printJSON(sh.out, moved)
		}
		if moved.Kept {
			sh.say("%s had not left: it is here", moved.Run)
		} else {
			sh.say("%s is here now (leg %d)%s", moved.Run, moved.Leg, onBranch(moved.Branch))
		}
		if moved.There != "" && moved.There != moved.Run {
			sh.say("its name on %s is %s; here, another run has that", moved.Remote, text.Line(moved.There))
		}
		if moved.Aside != "" {
			sh.say("what was here of it and has not come back is kept in %s", moved.Aside)
		}
		tellStaying(sh, moved)
		sh.say("go on with it: refrain resume %s", moved.Run)
		return nil
	})
	return cmd
}

// tellCutPush says where a run is whose push a person has broken off.
func tellCutPush(ctx context.Context, sh *shell, store journal.Store, name string) {
	if ctx.Err() == nil {
		return
	}
	entry, err := store.Load(name)
	if err == nil {
		err = entry.Here()
	}
	if err == nil {
		failure{what: "nothing has left: " + name + " is here"}.print(sh.err)
		return
	}
	explain(err).print(sh.err)
}

func onBranch(branch string) string {
	if branch == "" {
		return ""
	}
	return ", on the branch " + text.Line(branch)
}

func carryLs(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use: "ls [REMOTE]", Short: "List the runs on a remote, and who has them",
		Args: atMost(1),
	}
	asJSON := addJSON(cmd)
	cmd.RunE = sh.heeding(func(cmd *cobra.Command, args []string) error {
		store, err := sh.store()
		if err != nil {
			return err
		}
		if store, err = store.Claim(); err != nil {
			return err
		}
		meant := usualRemote
		if len(args) == 1 {
			meant = args[0]
		}
		list, err := carry.Place{Store: store}.List(cmd.Context(), meant)
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, append([]carry.Near{}, list...))
		}
		if len(list) == 0 {
			sh.say("no runs on %s", meant)
		}
		for _, one := range list {
			if one.Wrong != "" {
				sh.say("%s  cannot be fetched: %s", text.Line(one.Run), text.Line(one.Wrong))
				continue
			}
			whose := "free since"
			if one.Held {
				whose = "with " + text.Line(one.Worker) + " since"
			}
			sh.say("%s  %s  %s  %s %s  leg %d", one.Run, text.Line(one.Name), text.Line(view.People(one.State, "")), whose, one.At.Local().Format(time.DateTime), one.Leg)
		}
		return nil
	})
	return cmd
}

// remoteOf is the remote that is named, or that a run came from or was taken to.
func remoteOf(e journal.Entry, args []string) (string, error) {
	if len(args) == 2 {
		return args[1], nil
	}
	note, err := e.Carried()
	if err != nil || note == nil {
		return usualRemote, err
	}
	return note.Remote, nil
}

// stages tells a person at a terminal what is about to happen.
func stages(w io.Writer, quiet bool) func(string) {
	if quiet || !isTerminal(w) {
		return nil
	}
	return func(what string) { fmt.Fprintln(w, what+"...") }
}

// tellStaying says what is not where the run is now.
func tellStaying(sh *shell, m *carry.Moved) {
	for _, s := range m.Stays {
		sh.say("does not travel, and stays: %s (%s)", text.Line(s.Path), text.Line(s.Why))
	}
	for _, c := range m.Cut {
		sh.say("too large to travel, and stays: %s (%d bytes)", text.Line(c.File), c.Size)
	}
}

// between wants so many arguments, the first of which is a run.
func between(least, most int, hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage(fmt.Sprintf("%s takes one or two arguments, not %d", cmd.CommandPath(), len(args)), hint)
		}
		if args[0] == "" { // the latest one is not what a script with an empty variable means
			return usage(cmd.CommandPath()+" takes the name of a run, not nothing", hint)
		}
		return nil
	}
}

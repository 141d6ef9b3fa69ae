package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

func workCommand(p post) *cobra.Command {
	cmd := &cobra.Command{
		Use: "work", Short: "Do runs of a fleet on this machine",
		Long: "Do runs of a fleet on this machine: ask its server for them, do one leg after the other, and leave each to\n" +
			"others when its turn is over. Only runs of the remotes that --trust names are done. INT or TERM has the\n" +
			"worker take no more, leave its runs when their iterations are over, and end; what takes longer than\n" +
			"--grace is cut short. A second INT or TERM cuts it short at once. No run is lost by it.",
		Example: "  refrain-worker work --trust 'https://git.example.com/team/*'\n  refrain-worker work --queue team --slots 4 --health 127.0.0.1:7300",
		Args:    cli.NoArguments,
	}
	f := cmd.Flags()
	f.String("queue", "", "the queue to work for: whose keys this machine has (fleet.worker.queue)")
	f.String("name", "", "what the worker is called, which no other is; without it, the name of the machine")
	f.String("slots", "", "how many runs to work at, at once; 0 is as many as there are processors")
	f.String("root", "", "the folder for work trees and records, which is the worker's alone")
	f.StringArray("trust", nil, "do runs of the remotes with such a URL, as \"https://git.example.com/team/*\" (repeatable)")
	f.String("only", "", "do only the work (legs), or only say which worker does it (flows)")
	f.String("grace", "", "how long iterations may take to end, when the worker leaves")
	f.String("health", "", "an address of this machine, such as 127.0.0.1:7300, where /healthz tells how the worker is")
	complete(cmd, "only", func() []string { return []string{"legs", "flows"} })
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		w, err := newWorker(p, cmd)
		if err != nil {
			return byFlag(cmd, err)
		}
		return w.work(cmd.Context())
	}
	return cmd
}

// worker is this process as a worker.
type worker struct {
	post
	server fleet.Server
	shift  fleet.Shift
	root   string
	trust  []string
	health string
	log    *log
}

// worker reads what a worker is to be from flags and the user's own settings.
func newWorker(p post, cmd *cobra.Command) (*worker, error) {
	flags, err := workFlags(cmd)
	if err != nil {
		return nil, err
	}
	f, err := workerSettings(flags...)
	if err != nil {
		return nil, err
	}
	own := f.Worker
	name := own.Name
	if name == "" {
		if name, err = machineName(); err != nil {
			return nil, err
		}
	}
	root := home(own.Root)
	if root == "" {
		state, err := project.Folder(os.Getenv)
		if err != nil {
			return nil, err
		}
		root = filepath.Join(state, "worker")
	}
	w := &worker{
		post: p, server: serverOf(f), root: root, trust: own.Trust, log: newLog(p.Out()),
		shift: fleet.Shift{Name: name, Queue: own.Queue, Slots: own.Slots, Legs: own.Only != "flows", Flows: own.Only != "legs", Grace: own.Grace},
	}
	if w.shift.Slots == 0 {
		w.shift.Slots = runtime.NumCPU()
	}
	if w.health, err = cmd.Flags().GetString("health"); err != nil {
		return nil, err
	}
	if host, ok := text.SplitHost(w.health); w.health != "" && (!ok || !text.IsLoopback(host)) {
		return nil, cli.UsageError(fmt.Sprintf("--health wants an address that only this machine can reach, not %q", w.health), "write it like 127.0.0.1:7300")
	}
	if w.shift.Legs && len(w.trust) == 0 {
		return nil, cli.UsageError("this worker trusts no remote, so there is no run that it may do", "name those whose runs it may do: --trust 'https://git.example.com/team/*', or fleet.worker.trust")
	}
	return w, nil
}

// workFlags are the settings that the flags of work give.
func workFlags(cmd *cobra.Command) ([]config.Flag, error) {
	var list []config.Flag
	for _, name := range []string{"queue", "name", "slots", "root", "only", "grace"} {
		flag := cmd.Flags().Lookup(name)
		if !flag.Changed {
			continue
		}
		value := flag.Value.String()
		if name == "root" && value != "" {
			full, err := filepath.Abs(value)
			if err != nil {
				return nil, fmt.Errorf("find --root: %w", err)
			}
			value = full
		}
		list = append(list, config.Flag{Name: "--" + name, Key: "fleet.worker." + name, Value: value})
	}
	if cmd.Flags().Changed("trust") {
		globs, err := cmd.Flags().GetStringArray("trust")
		if err != nil {
			return nil, err
		}
		list = append(list, config.Flag{Name: "--set", Key: "fleet.worker.trust", Value: setting.Render(globs)})
	}
	return list, nil
}

var notOfWorkers = text.NewPattern(`[^A-Za-z0-9._-]+`)

// machineName is the name of the machine, as a worker may have it.
func machineName() (string, error) {
	host, err := os.Hostname()
	if err != nil {
		return "", fmt.Errorf("find the name of this machine: %w", err)
	}
	name := strings.Trim(notOfWorkers().ReplaceAllString(host, "-"), "-._")
	return cmp.Or(name[:min(len(name), 63)], "worker"), nil
}

// work works until a signal comes, or for good.
func (w *worker) work(ctx context.Context) error {
	_ = os.Unsetenv(config.FleetKey) // it is ours, and no agent's
	slog.SetDefault(slog.New(heeded{log: w.log}))
	legs := &watched{log: w.log}
	if w.shift.Legs {
		desk, err := w.backend.Desk(Bench{Root: w.root, Worker: w.shift.Name, Trust: w.trust})
		if err != nil {
			return err
		}
		defer desk.Close()
		legs.Legs = desk
	}
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	defer w.heed(leave, legs)()
	state := &health{worker: w.shift.Name, queue: w.shift.Queue, live: legs.Live, state: starting}
	if w.health != "" {
		at, end, err := state.serve(w.health)
		if err != nil {
			return err
		}
		defer end()
		w.log.say("how this worker is: http://%s/healthz", at)
	}
	context.AfterFunc(ctx, func() { state.set(leaving) })
	w.log.say("%s works for the queue %s of %s: %s", w.shift.Name, w.shift.Queue, w.server.Address, w.offers())
	err := w.keepAt(ctx, legs, state)
	w.log.say("%s has left", w.shift.Name)
	return err
}

// offers is what this worker does, in words.
func (w *worker) offers() string {
	legs := fmt.Sprintf("%s at once, in %s, of %s", text.Plural(w.shift.Slots, "run"), w.root, strings.Join(w.trust, ", "))
	switch {
	case !w.shift.Legs:
		return "it says who does runs, and does none"
	case !w.shift.Flows:
		return legs + "; others say who does runs"
	}
	return legs
}

// leaves says what becomes of so many legs.
func (w *worker) leaves(live int) string {
	if live == 0 {
		return "no run is live here"
	}
	return fmt.Sprintf("no more runs are taken; %s %s %s to end, a second signal ends %s at once",
		text.Plural(live, "leg"), text.OneOrMany(live, "has", "have"), text.Seconds(w.shift.Grace), text.OneOrMany(live, "it", "them"))
}

// Between two tries to reach the server.
const (
	firstPause = time.Second
	mostPause  = time.Minute
)

// keepAt works, and tries again while no server answers.
func (w *worker) keepAt(ctx context.Context, legs fleet.Legs, state *health) error {
	shift := w.shift
	shift.Served = state.served
	for pause := firstPause; ; pause = min(2*pause, mostPause) {
		begun := time.Now()
		err := w.backend.Work(ctx, w.server, shift, legs)
		var unreachable *fleet.UnreachableError
		switch {
		case ctx.Err() != nil:
			return nil
		case !errors.As(err, &unreachable):
			return err
		case time.Since(begun) > mostPause: // it was there for a while
			pause = firstPause
		}
		state.set(unserved)
		w.log.say("%s: trying again in %s", text.Line(unreachable.Error()), text.Seconds(pause))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil
		}
	}
}

// heed leaves at the first signal, and at once at the second.
func (w *worker) heed(leave func(), legs fleet.Legs) (end func()) {
	heard := make(chan os.Signal, 2)
	signal.Notify(heard, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 1; ; n++ {
			select {
			case <-heard:
			case <-done:
				return
			}
			if n == 1 {
				w.log.say("leaving: %s", w.leaves(legs.Live()))
				leave()
				continue
			}
			w.log.say("leaving at once: what runs is being ended")
			legs.Leave(true)
		}
	})
	return sync.OnceFunc(func() {
		signal.Stop(heard)
		close(done)
		wg.Wait()
	})
}

package app

import (
	"context"
	"io"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/notify"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
)

// NewSender makes who tells people of runs in the work tree around dir. It must be
// closed.
func NewSender(ctx context.Context, dir string, req request.Request) (*notify.Sender, error) {
	assignment, err := request.In(dir, req)
	if err != nil {
		return nil, err
	}
	if _, err := agreed(ctx, assignment, nil); err != nil {
		return nil, err
	}
	a := agency{Assignment: assignment}
	sender, err := notify.New(noticesOf(assignment, nil, nil, a.alone, func(loop.Warning) {}))
	if err != nil {
		return nil, &request.UsageError{What: err.Error(), Hint: "\"refrain config explain KEY\" tells where it is set"}
	}
	return sender, nil
}

// alone runs a process of no run in its role.
func (a *agency) alone(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	if s.Role == proc.Own {
		return proc.Run(ctx, s)
	}
	return a.aside(ctx, s)
}

// NewBell makes who rings at a terminal for a run in a work tree that has none itself,
// and what ends that. What else there is to tell, and to whom, is for the run.
func NewBell(tree, run string, terminal io.Writer) (bell Observer, end func(), err error) {
	a, err := request.In(tree, request.Request{})
	if err != nil {
		return nil, nil, err
	}
	s := noticesOf(a, terminal, nil, proc.Run, nil)
	sender, err := notify.New(notify.Settings{
		On: s.On, WaitingAfter: s.WaitingAfter, Every: s.Every, PerHour: s.PerHour, Quiet: s.Quiet,
		Bell: s.Bell, Plain: s.Desktop, Run: run, Dir: s.Dir, Terminal: terminal, Env: s.Env,
	})
	if err != nil {
		return nil, nil, err
	}
	return sender, sender.Close, nil
}

// checkNotices finds what is wrong with the channels before anything is
// written.
func checkNotices(a request.Assignment) error {
	if _, err := notify.New(noticesOf(a, nil, nil, proc.Run, func(loop.Warning) {})); err != nil {
		return &request.UsageError{What: err.Error(), Hint: "\"refrain config explain KEY\" tells where it is set"}
	}
	return nil
}

// noticesOf is who is told of the run, and how.
func noticesOf(a request.Assignment, terminal io.Writer, run *journal.Run, exec func(context.Context, proc.Spec) (loop.Exit, error), warn func(loop.Warning)) notify.Settings {
	n := a.Config().Notify
	env := proc.Environ()
	s := notify.Settings{
		On: n.On, WaitingAfter: n.WaitingAfter, Every: n.Every, PerHour: n.PerHour, Quiet: n.Quiet,
		Desktop: n.Desktop.Or(terminal != nil && notify.DesktopWorks(env)), Bell: n.Bell.Or(terminal != nil),
		Log: a.File("notify.log", n.Log), Command: n.Command, Webhook: notify.Webhook(n.Webhook), Slack: n.Slack.URL, Discord: n.Discord.URL,
		Ntfy: notify.Ntfy(n.Ntfy), Email: notify.Email(n.Email),
		Dir: a.Tree, Terminal: terminal, Env: env, Exec: exec, Warn: warn,
	}
	if a.Settings.OfProject("notify.command") { // or the agent, which may have written what it names
		s.Role = proc.Judge
	}
	if run != nil {
		s.Run, s.Procedure, s.Env = run.Meta().Name, run.Meta().Procedure, environ(proc.Environ(), a.Tree, run)
	}
	return s
}

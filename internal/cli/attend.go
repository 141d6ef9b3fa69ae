package cli

import (
	"io"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
)

// attend runs a loop with signals heard and the screen on, and takes its end
// for the exit status.
func (sh *shell) attend(job *app.Job, name string, s *screen, start func(app.Watch) (loop.RunFinished, error)) error {
	var readers []*app.Patient
	if s.kind != "tui" { // which never waits
		out, complaints := app.NewPatient(sh.out), app.NewPatient(sh.err)
		defer func(out, err io.Writer) { sh.out, sh.err = out, err }(sh.out, sh.err)
		defer out.Close()
		defer complaints.Close()
		sh.out, sh.err = out, complaints
		readers = append(readers, out, complaints)
	}
	control := app.NewControl()
	interrupt, stopSteering := steer(control, job.Settings.Config.Loop.OnInterrupt)
	defer stopSteering()
	s.control, s.interrupt = control, interrupt
	observers, late := []app.Observer{s}, &lateWarnings{}
	if detached != "" {
		observers = append(observers, announcer{detached})
	}
	if job.Attended() && sh.person() && s.kind != "tui" { // which asks itself
		observers = append(observers, newAsker(sh, control, name))
	}
	end, err := start(app.Watch{Observers: observers, Control: control, Version: Version, Terminal: sh.terminal(), Late: late.add, Readers: readers})
	stopSteering() // there is nothing left to steer
	s.finish()
	late.tell(sh.err)
	if err != nil {
		return err
	}
	sh.status = exitStatus(end)
	return nil
}

// canAsk refuses to ask where nobody can answer.
func (sh *shell) canAsk(job *app.Job) error {
	if !job.Attended() || sh.person() || job.Answerable() || detached != "" {
		return nil
	}
	return usage("there is no terminal to ask at", "set ask.timeout for runs that nobody watches, or use --detach and answer with \"refrain approve\"")
}

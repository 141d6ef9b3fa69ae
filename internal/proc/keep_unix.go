//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/lull"
)

// The life of a keeper, and of one process that it keeps:
//
//	runner ── hire ──► warden ── ForkExec ──► keeper ── adopt ──► ready
//	                     │                      │
//	                     │   doStart ──► start ─┤ a leader, in a session of its own,
//	                     │                      │ with a mark and, where it can, a cgroup
//	                     │   doSignal, doKill ──┤ to its group; to all below it
//	                     │                      │
//	                     │   SIGCHLD ──► reap ──┤ hasExited: the leader is gone
//	                     │               tidy ──┤ sweep: orphans are asked to leave,
//	                     │                      │   then killed, until a look finds nobody
//	                     │                      │ isSwept: nothing of it is left, or who
//	                     │                      │   does not end even so
//	                     │   the link closes ───┤ endAll: the runner is dead, or done;
//	                     │                      ▼   all are killed at once
//	                     ◄──── wait ─────────  end
//	                     │
//	                     ▼ was the keeper killed, its orphans are the warden's: endAll
//
// The runner's side is in line_unix.go.

// keeping is the keeper's own process: parent of all that the runner starts,
// and, where the system allows it, of whoever loses its parent below it. One
// goroutine owns it all; only requests are read by another.
type keeping struct {
	link   *link
	mark   Mark
	spare  []string
	within string          // where cgroups are made; empty: nowhere
	word   string          // of the fence's policy
	fence  *fence.Confiner // nil is none
	inside *fence.Inside   // nil is outside of namespaces

	leaders map[int]leader   // by pid: those we started and that live
	sweeps  map[int]sweep    // by id: what a leader left is being ended
	asked   map[ident]asking // those that were asked to leave
	stuck   map[ident]bool   // those that KILL does not end
	signals chan os.Signal   // a child has ended
	wishes  chan request     // closed when the runner is dead
}

// leader is a process that the runner asked for.
type leader struct {
	id    int
	mark  string
	leave time.Duration
	asked bool // a signal was sent to it
	group cgroup
}

// sweep is the end of all that one leader has left. First it is asked to leave,
// and then it is killed.
type sweep struct {
	kill   time.Time // from then on
	giveUp time.Time
	group  cgroup
}

// asking is the wish that a process leaves.
type asking struct {
	until time.Time // it may take so long
	at    uint64    // when it was asked, in ticks since the system came up
}

func newSweep(l leader) sweep {
	kill := time.Now().Add(l.leave)
	return sweep{kill: kill, giveUp: kill.Add(ladder.patience), group: l.group}
}

// keep is the keeper's main. Its arguments are the mark, the word of its fence and
// the programs to spare; file 3 is the link to the runner.
func keep(args []string) int {
	link, err := newLink(os.NewFile(3, "link"))
	if err != nil {
		return 2
	}
	k := newKeeping(link, args)
	if k == nil {
		return 2
	}
	if err := k.raise(); err != nil {
		_ = link.send(&report{Of: isReady, Unfenced: lackOf(fence.KindOf(k.word), err)})
		return 1
	}
	if k.inside == nil { // else the kernel holds all together already
		k.within = ownCgroup()
		dropEmpty(k.within)
	}
	deafen()
	if k.inside != nil {
		deafenMore()
	}
	signal.Notify(k.signals, syscall.SIGCHLD)
	if err := adopt(); err != nil {
		_ = link.send(&report{Of: isReady, Why: err.Error()}) // the runner may be dead by now
		return 1
	}
	if link.send(&report{Of: isReady, PID: k.outside(os.Getpid())}) != nil {
		return 1
	}
	go k.read() // until the runner is dead, and then we end too
	k.serve()
	k.endAll()
	return 0
}

// newKeeping is nil when the arguments are none of a keeper.
func newKeeping(link *link, args []string) *keeping {
	if len(args) < 3 {
		return nil
	}
	return &keeping{
		link: link, mark: Mark{Run: args[0], Runner: args[1]}, word: args[2], spare: args[3:],
		leaders: map[int]leader{}, sweeps: map[int]sweep{}, asked: map[ident]asking{}, stuck: map[ident]bool{},
		signals: make(chan os.Signal, 1), wishes: make(chan request),
	}
}

// raise makes the fence ready that the runner asks for. In namespaces the keeper is
// within it from here on; with Landlock it stays outside, and only what it starts is
// confined.
func (k *keeping) raise() error {
	if k.word == string(fence.None) {
		return nil
	}
	var p fence.Policy
	if err := k.link.receive((*policy)(&p)); err != nil {
		return fmt.Errorf("hear of the fence: %w", err)
	}
	err := sealFiles()
	if err != nil {
		return err
	}
	if p.Kind == fence.Namespaces {
		if k.inside, err = fence.Enter(p); err != nil {
			return err
		}
	}
	if k.fence, err = fence.NewConfiner(p); err == nil {
		k.fence.Tell(func(r fence.Refusal) { k.tell(report{Of: wasRefused, Refused: r}) })
	}
	return err
}

// sealFiles has nobody inherit a file that we have from who started the runner: it leads
// past any fence.
func sealFiles() error {
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("see which files are open: %w", err)
	}
	for _, e := range list {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// launch starts a program, within the fence if there is one.
func (k *keeping) launch(group cgroup, r request, attr syscall.ProcAttr) (pid int, inside bool, err error) {
	path, argv := r.Path, r.Argv
	if k.fence != nil {
		path, argv = k.fence.Wrap(path, argv)
	}
	start := func() {
		if k.inside != nil {
			if err = k.inside.Shed(); err != nil {
				return
			}
		}
		pid, inside, err = startIn(group, path, argv, attr)
	}
	if k.fence == nil {
		start()
		return pid, inside, err
	}
	if err := k.fence.On(start); err != nil {
		return 0, false, unfenced(fence.KindOf(k.word), err)
	}
	var said *fence.Error
	if errors.As(err, &said) {
		err = unfenced(said.Kind, err)
	}
	return pid, inside, err
}

// outside gives the number by which the runner knows a process of ours.
func (k *keeping) outside(pid int) int {
	if k.inside == nil {
		return pid
	}
	return k.inside.Outside(pid)
}

// deafen makes the keeper deaf to what a terminal or a session's end sends. It
// does not ignore the signals, for its children would inherit that; those that
// were ignored from the start stay so, for them and for us.
func deafen() {
	unheard := make(chan os.Signal, 1)
	for _, s := range []os.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
	} {
		if !signal.Ignored(s) {
			signal.Notify(unheard, s)
		}
	}
}

// deafenMore is for a keeper among those whom it keeps: any of them could send it what
// says that it has failed. Those that nobody can refuse the kernel keeps from the first
// process of a namespace.
func deafenMore() {
	unheard := make(chan os.Signal, 1)
	for s := syscall.Signal(1); s < 32; s++ {
		switch {
		case s == syscall.SIGKILL || s == syscall.SIGSTOP || s == syscall.SIGCHLD || s == syscall.SIGURG: // the last is Go's own
		case !signal.Ignored(s):
			signal.Notify(unheard, s)
		}
	}
}

// read hands on the runner's wishes. The end of the link, or a message that
// makes no sense, means that there is no runner any more.
func (k *keeping) read() {
	defer close(k.wishes)
	for {
		var r request
		if k.link.receive(&r) != nil {
			return
		}
		if r.Do == doStart {
			files, err := k.link.take(len(stdio{}))
			if err != nil {
				return
			}
			r.files = files
		}
		k.wishes <- r
	}
}

// serve does what the runner asks, until it is dead.
func (k *keeping) serve() {
	idle := lull.New()
	defer idle.Close()
	var again <-chan time.Time
	for {
		select {
		case r, alive := <-k.wishes:
			if !alive {
				return
			}
			idle.Stir()
			k.do(r)
		case <-k.signals:
		case <-again:
		}
		again = nil
		if wait := k.tidy(); wait > 0 {
			again = time.After(wait)
		}
	}
}

func (k *keeping) do(r request) {
	if r.Do == doStart {
		k.start(r)
		return
	}
	for pid, l := range k.leaders { // who is not among them has ended
		switch {
		case l.id != r.ID || hasEnded(pid): // which reap will see
		case r.Do == doSignal:
			l.asked = true
			group(pid).signal(r.Signal)
		case r.Do == doKill:
			l.asked = true
			k.killTree(pid)
		}
		k.leaders[pid] = l
	}
}

// start starts a program and answers.
func (k *keeping) start(r request) {
	files := make([]uintptr, len(r.files))
	for i, f := range r.files {
		files[i] = uintptr(f)
	}
	var group cgroup
	if !r.Plain {
		group, _ = newCgroup(k.within, k.mark, r.ID) // else marks have to do
	}
	pid, inside, err := k.launch(group, r, syscall.ProcAttr{Dir: r.Dir, Env: r.Env, Files: files, Sys: ownGroup()})
	if !inside {
		group.remove()
		if group = ""; err == nil && !r.Plain {
			k.within = "" // the next one would not get in either
		}
	}
	for _, f := range r.files {
		_ = syscall.Close(f)
	}
	var open *FenceError
	if errors.As(err, &open) {
		k.tell(report{ID: r.ID, Of: hasStarted, Unfenced: lackOf(open.Kind, open.Err)})
		return
	}
	if err != nil {
		errno, ok := err.(syscall.Errno)
		if !ok {
			errno = syscall.EINVAL
		}
		k.tell(report{ID: r.ID, Of: hasStarted, Errno: errno, Absent: k.absentFor(r)})
		return
	}
	k.leaders[pid] = leader{id: r.ID, mark: r.Mark, leave: r.Leave, group: group}
	k.tell(report{ID: r.ID, Of: hasStarted, PID: k.outside(pid), Held: inside || r.Plain || k.inside != nil})
}

// tell reports to the runner. When that fails the runner is dead, which read
// will see too.
func (k *keeping) tell(r report) { _ = k.link.send(&r) }

// reap collects all children that have ended, and tells whether none is left.
func (k *keeping) reap() (none bool) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return true
		case pid == 0:
			return false
		}
		if l, ok := k.leaders[pid]; ok {
			delete(k.leaders, pid)
			k.bereave(pid)
			k.sweeps[l.id] = newSweep(l)
			k.tell(report{ID: l.id, Of: hasExited, Status: status, Asked: l.asked})
		}
	}
}

// tidy reaps, and ends what ended leaders have left. It tells when to look
// again; 0 is when there is news.
func (k *keeping) tidy() time.Duration {
	none := k.reap()
	if len(k.sweeps) == 0 {
		return 0
	}
	known := len(k.asked)
	left := k.sweep(none, k.killFrom())
	for id, s := range k.sweeps {
		var held []entry
		empty := s.group.remove()
		if !empty {
			held = k.sweepGroup(s)
			empty = len(held) == 0 && len(k.spare) > 0 // else somebody is just ending
		}
		switch {
		case len(left) == 0 && empty:
			k.tell(report{ID: id, Of: isSwept})
		case time.Now().After(s.giveUp):
			k.tell(report{ID: id, Of: isSwept, Left: k.giveUp(append(left, held...))})
		default:
			continue
		}
		delete(k.sweeps, id)
	}
	switch {
	case len(k.sweeps) == 0:
		clear(k.asked)
		return 0
	case len(k.asked) == known && time.Now().Before(k.killFrom()):
		return leavePause // all have been asked; who ends is told by its signal
	}
	return pause
}

// leavePause is how often those are looked at who have been asked to leave.
const leavePause = 20 * time.Millisecond

// killFrom is when the last of the sweeps is done with asking. Nobody can say
// whose orphan a process is, so all get the time of the last.
func (k *keeping) killFrom() (from time.Time) {
	for _, s := range k.sweeps {
		if s.kill.After(from) {
			from = s.kill
		}
	}
	return from
}

// end asks a process to leave, and ends it when its time is over: its own, or
// that of all, for some have a child and are gone before theirs is.
func (k *keeping) end(e entry, from time.Time) {
	now := time.Now()
	a, asked := k.asked[e.ident]
	if !now.Before(from) || asked && !now.Before(a.until) {
		e.kill()
		return
	}
	if asked {
		return
	}
	k.asked[e.ident] = asking{from, ticksUp()}
	if !k.tidiesUp(e) {
		e.signal(syscall.SIGTERM)
		e.signal(syscall.SIGCONT) // else who is stopped would not hear it
	}
}

// tidiesUp tells whether a process may be what another tidies up with: it has come
// since its parent was asked to leave. It has the time of its parent.
func (k *keeping) tidiesUp(e entry) bool {
	for id, a := range k.asked {
		if id.pid == e.parent && a.at <= e.started {
			return true
		}
	}
	return false
}

// giveUp remembers who does not end, so that nobody waits for them again.
func (k *keeping) giveUp(left []entry) (pids []int) {
	for _, e := range left {
		k.stuck[e.ident] = true
		pids = append(pids, k.outside(e.pid))
	}
	return pids
}

// endAll is the end of the run, and of the runner perhaps: there is nobody to
// be polite for. Leaders first, whatever is to be spared: they are no daemons. It
// tells whether everyone has ended.
func (k *keeping) endAll() bool {
	for pid := range k.leaders {
		group(pid).signal("KILL")
	}
	clear(k.leaders)
	if k.inside == nil {
		endCgroups(cgroupsIn(ownCgroup(), func(m Mark) bool { return m == k.mark }), k.spare)
	}
	k.sweep(false, time.Time{}) // also those that were given time to leave
	for deadline := time.Now().Add(ladder.patience); !k.reap(); {
		if left := k.sweep(false, time.Time{}); len(left) == 0 {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		select {
		case <-k.signals:
		case <-time.After(pause):
		}
	}
	return true
}

package proc

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
)

// hired is what a runner starts to have its processes kept.
const hired = wardenName

// The status with which a warden says that its keeper was killed.
const (
	endedAll  = 63 // and that nobody is left of those whom it kept
	endedSome = 62

	// It was stopped, and the warden has killed it.
	stoppedAll  = 61
	stoppedSome = 60
)

// ward is the warden's main: it starts the keeper, and waits for it. When the
// keeper is killed all that it kept falls to the warden, even who has wiped its
// environment, and is ended here. It knows no runner: a keeper whose runner is
// dead ends by itself. Its arguments and files are the keeper's.
func ward(args []string) int {
	k := newKeeping(nil, args)
	if k == nil {
		return 2
	}
	deafen()
	signal.Notify(k.signals, syscall.SIGCHLD)
	_ = adopt() // the keeper cannot either, and says so
	argv, err := HelperCommand(keeperName, args...)
	if err != nil {
		return 2
	}
	// The keeper has a session of its own, so that a signal to the group of one
	// does not end the other.
	sys := ownGroup()
	if err := fence.Apart(k.word, sys); err != nil {
		return k.refuse(err)
	}
	pid, err := syscall.ForkExec(argv[0], argv, &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(), Files: []uintptr{0, 1, 2, 3}, Sys: sys,
	})
	if err != nil && k.word != string(fence.None) {
		return k.refuse(fmt.Errorf("start the keeper: %w", err))
	}
	_ = syscall.Close(3) // else the runner would not see the keeper's end
	if err != nil {
		return 2
	}
	status, stopped := awaitKeeper(pid)
	if status.Exited() && status.ExitStatus() <= 1 { // it has ended all that it kept, or kept nothing
		return status.ExitStatus()
	}
	switch all := k.endAll(); {
	case stopped && all:
		return stoppedAll
	case stopped:
		return stoppedSome
	case all:
		return endedAll
	}
	return endedSome
}

// refuse tells the runner, in the keeper's place, that there is no fence.
func (k *keeping) refuse(err error) int {
	link, open := newLink(os.NewFile(3, "link"))
	if open == nil {
		_ = link.send(&report{Of: isReady, Unfenced: lackOf(fence.KindOf(k.word), err)})
	}
	return 1
}

// awaitKeeper waits for the end of the keeper, and takes note of any other child that
// ends. A keeper that was stopped, and is not let go soon, would neither tell nor end
// anything, and is killed.
func awaitKeeper(pid int) (status syscall.WaitStatus, stopped bool) {
	for {
		switch child, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil); {
		case err == syscall.EINTR:
		case err == nil && child != pid:
		case err == nil && status.Stopped():
			time.Sleep(ladder.glance)
			if e, err := readEntry(pid); err == nil && e.stopped() {
				stopped = true
				_ = syscall.Kill(pid, syscall.SIGKILL) // is our child, and not reaped
			}
		default:
			return status, stopped
		}
	}
}

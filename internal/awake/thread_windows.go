package awake

import (
	"context"
	"fmt"
	"runtime"

	"golang.org/x/sys/windows"
)

var setThreadExecutionState = windows.NewLazySystemDLL("kernel32.dll").NewProc("SetThreadExecutionState")

const (
	continuous     = 0x80000000 // until it is set again
	systemRequired = 0x00000001
)

// hold keeps the machine awake until ctx ends. Windows ties that to a thread,
// and so it ends with this process, however that ends.
func hold(ctx context.Context, _ string, held func()) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if before, _, err := setThreadExecutionState.Call(continuous | systemRequired); before == 0 {
		return fmt.Errorf("Windows refuses: %w", err)
	}
	defer func() { _, _, _ = setThreadExecutionState.Call(continuous) }()
	held()
	<-ctx.Done()
	return nil
}

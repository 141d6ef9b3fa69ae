package cli

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// dropTyped forgets what was typed and not yet read.
func dropTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) // what is no terminal has nothing typed
	}
}

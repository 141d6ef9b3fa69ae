//go:build linux

package fence

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_X86_64
	foreignCalls = 0x40000000 // those of x32 begin here
)

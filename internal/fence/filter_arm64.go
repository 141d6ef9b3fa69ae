//go:build linux

package fence

import "golang.org/x/sys/unix"

const (
	auditArch    = unix.AUDIT_ARCH_AARCH64
	foreignCalls = 1 << 31 // there are none
)

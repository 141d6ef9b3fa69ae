package redact

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// plainUser is what may stand before the host of an address by ssh, where keys are what
// lets somebody in.
var plainUser = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_.-]{0,31}$`)

// Address is the address of a remote, as people may see it: without what lets somebody in.
// Before the host that may be a password, or a token alone, so all of it is hidden; not so
// the plain user of an address by ssh.
func Address(address string) string {
	from, to, secret := credentials(address)
	if !secret {
		return address
	}
	return address[:from] + "xxxxx" + address[to:]
}

// InAddress tells whether something stands in an address that lets somebody in.
func InAddress(address string) bool {
	_, _, secret := credentials(address)
	return secret
}

// credentials is where in an address that stands. It is found by the signs alone: what no
// parser takes for an address may be one to git.
func credentials(address string) (from, to int, secret bool) {
	scheme, rest, ok := strings.Cut(address, "://")
	if !ok {
		return 0, 0, false
	}
	from = len(scheme) + len("://")
	if end := strings.IndexAny(rest, `/?#\`); end >= 0 {
		rest = rest[:end]
	}
	at := strings.LastIndex(rest, "@")
	if at <= 0 {
		return 0, 0, false
	}
	return from, from + at, !strings.Contains(strings.ToLower(scheme), "ssh") || !plainUser().MatchString(rest[:at])
}

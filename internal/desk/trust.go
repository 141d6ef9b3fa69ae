package desk

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/text"
)

// A worker runs what the repositories of its remotes say, and what whoever can write to
// them has said: gates, hooks, commands of prompts. Nobody is there to be asked, so which
// remotes are trusted with that is said once, by patterns of their addresses.

// UntrustedError says that a worker does no runs of a remote.
type UntrustedError struct{ Remote, Why string }

func (e *UntrustedError) Error() string {
	return "this worker does no runs of " + text.Line(shown(e.Remote)) + ": " + e.Why
}

// Hint says what to do.
func (e *UntrustedError) Hint() string {
	return `if whoever can write there may run commands on the worker, let it: fleet.worker.trust, or --trust "https://example.com/team/*"`
}

// shown is an address without a password.
func shown(remote string) string { return redact.Address(remote) }

// allows refuses a remote that no pattern is for.
func (d *Desk) allows(remote string) error {
	switch {
	case remote == "" || strings.HasPrefix(remote, "-") || strings.ContainsFunc(remote, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return &UntrustedError{remote, "that is no address of a remote"}
	case slices.ContainsFunc(strings.FieldsFunc(remote, func(r rune) bool { return r == '/' || r == '\\' || r == ':' }), climbs):
		return &UntrustedError{remote, "its address leads upwards"}
	case !byPath().MatchString(remote) && strings.ContainsAny(remote, `?#\`) || hostless().MatchString(remote):
		return &UntrustedError{remote, "which host its address means is not plain to see"}
	case !slices.ContainsFunc(d.Trust, func(pattern string) bool { return fits(pattern, remote) }):
		return &UntrustedError{remote, "no pattern that it trusts is for it"}
	}
	return nil
}

// climbs tells whether a part of an address leads upwards, also where it is quoted.
func climbs(part string) bool {
	plain, err := url.PathUnescape(part)
	return err == nil && (plain == "." || plain == ".." || plain != part && strings.ContainsAny(plain, `/\`))
}

// How addresses begin that are folders, and those by http and git with a sign in them that
// has programs take another host for the one that is meant.
var (
	byPath   = text.NewPattern(`^(/|file://)`)
	hostless = text.NewPattern(`^(?i:https?|git)://.*[?#@\\]`)
)

// fits tells whether a pattern is for an address: ? stands for one sign and * for some, but
// for a slash and what may hide a host; ** stands for anything.
func fits(pattern, remote string) bool {
	var b strings.Builder
	b.WriteString(`\A`)
	for i := 0; i < len(pattern); i++ {
		switch {
		case strings.HasPrefix(pattern[i:], "**"):
			b.WriteString(`.*`)
			i++
		case pattern[i] == '*':
			b.WriteString(`[^/?#@\\]*`)
		case pattern[i] == '?':
			b.WriteString(`[^/?#@\\]`)
		default:
			b.WriteString(regexp.QuoteMeta(pattern[i : i+1]))
		}
	}
	return regexp.MustCompile(b.String() + `\z`).MatchString(remote)
}

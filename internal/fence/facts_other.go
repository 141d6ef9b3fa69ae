//go:build !linux

package fence

import "runtime"

func lookHere() Facts {
	return Facts{System: runtime.GOOS, NoUsers: "there are none on " + runtime.GOOS}
}

// Lacks is empty: there is no such fence here.
func (Facts) Lacks() []string { return nil }

// LacksApart is empty too.
func (Facts) LacksApart() []string { return nil }

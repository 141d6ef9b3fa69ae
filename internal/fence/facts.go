package fence

// Facts are what this machine has to make fences of.
type Facts struct {
	System   string // as in "linux"
	Kernel   string // its release; empty when nobody can tell
	Landlock int    // its version; 0 is none
	Filter   bool   // system calls can be supervised on this processor

	// NoUsers is why no user namespace can be made; empty when one can.
	NoUsers string

	Container string // what this machine is a container of; empty: none, or nobody can tell
}

// pretended stands in for the facts, in tests.
var pretended *Facts

// Pretend has Look give other facts until undo is called. It is for tests, and not
// for several at once.
func Pretend(f Facts) (undo func()) {
	old := pretended
	pretended = &f
	return func() { pretended = old }
}

// Look gives the facts of this machine.
func Look() Facts {
	if pretended != nil {
		return *pretended
	}
	return lookHere()
}

//go:build !linux

package fence

// Inside is what the first process of a fence's namespaces knows of the outside. There
// are none here.
type Inside struct{}

// Enter fails: there are no namespaces here.
func Enter(p Policy) (*Inside, error) { return nil, unsupported(p.Kind) }

// Outside is never called, for there is no Inside.
func (*Inside) Outside(pid int) int { return pid }

// Shed is never called either.
func (*Inside) Shed() error { return unsupported(Namespaces) }

// Close has nothing to close.
func (*Inside) Close() {}

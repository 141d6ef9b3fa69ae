//go:build !linux && !darwin

package fence

// Confiner confines what is started. There is none here.
type Confiner struct{}

// NewConfiner fails: there is no fence here yet.
func NewConfiner(p Policy) (*Confiner, error) { return nil, unsupported(p.Kind) }

// Tell has nothing to tell.
func (*Confiner) Tell(func(Refusal)) {}

// On is never called, for there is no Confiner.
func (*Confiner) On(func()) error { return unsupported(None) }

// Close has nothing to close.
func (*Confiner) Close() {}

// Wrap is never called either.
func (*Confiner) Wrap(path string, argv []string) (string, []string) { return path, argv }

//go:build !linux

package watch

// Tree is what is watched; there is none on this system.
type Tree struct{}

// Start fails: see ErrElsewhere.
func Start(string, []string) (*Tree, error) { return nil, ErrElsewhere }

// Changed knows nothing.
func (t *Tree) Changed() ([]string, bool) { return nil, false }

// Add has nothing to add to.
func (t *Tree) Add([]string) error { return ErrElsewhere }

// Close has nothing to end.
func (t *Tree) Close() {}

// Looked changes nothing.
func (t *Tree) Looked() {}

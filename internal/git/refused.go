package git

// RefusedError says why something was not begun, and what to do about it. The
// repository is as it was.
type RefusedError struct {
	what, hint string
}

func (e *RefusedError) Error() string { return e.what }

// Hint says what to do.
func (e *RefusedError) Hint() string { return e.hint }

func refuseWithoutGit(dir string) error {
	return &RefusedError{what: dir + " is not in a git work tree", hint: `make it one with "git init", or do without what needs git`}
}

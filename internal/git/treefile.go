package git

// SymlinkMode is the mode that git writes for a symbolic link.
const SymlinkMode = "120000"

// TreeFile is what a tree of git has at a path.
type TreeFile struct{ Mode, Object string }

// There tells whether there is anything.
func (f TreeFile) There() bool { return f.Object != "" }

// Link tells whether it is a symbolic link.
func (f TreeFile) Link() bool { return f.Mode == SymlinkMode }

// TreeEdit is what happened to one file between two trees.
type TreeEdit struct {
	Path string
	From string   // its path before, when it was moved and holds the same
	Was  TreeFile // nothing when it is new
	Is   TreeFile // nothing when it is gone
}

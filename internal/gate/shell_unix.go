//go:build unix

package gate

// shell is the argv that runs a command line. Both streams are made one, so that
// what a tool says on one about what it prints on the other stays in its place.
func shell(line string) []string { return []string{"sh", "-c", "exec 2>&1\n" + line} }

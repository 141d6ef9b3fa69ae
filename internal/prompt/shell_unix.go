//go:build unix

package prompt

// shell is the argv that runs a command line.
func shell(line string) []string { return []string{"sh", "-c", line} }

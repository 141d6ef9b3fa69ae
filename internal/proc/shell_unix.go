//go:build unix

package proc

// Shell is the argv that runs a command line as people write it.
func Shell(line string) []string { return []string{"sh", "-c", line} }

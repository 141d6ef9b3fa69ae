//go:build !linux

package doctor

// networkDisk cannot be told here.
func networkDisk(string) string { return "" }

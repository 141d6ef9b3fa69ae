package journal

// syncDir has nothing to do: Windows has no way to sync a folder, and NTFS
// journals its names.
func syncDir(string) error { return nil }

package files

// SyncDir has nothing to do: Windows has no way to sync a folder, and NTFS
// journals its names.
func SyncDir(string) error { return nil }

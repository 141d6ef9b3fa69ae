//go:build !linux

package proc

// Elsewhere descent is not known: a group, or a job, is all that can be ended.

func readTable() (table, error) { return table{}, errNoTable }

func readEntry(int) (entry, error) { return entry{}, errNoTable }

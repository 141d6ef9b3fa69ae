package files

// NoWait is no flag here: no file of a folder is a pipe.
const NoWait = 0

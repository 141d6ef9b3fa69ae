package files

const noWait = 0 // no file of a folder is a pipe here

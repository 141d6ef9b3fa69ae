package archtest

// How much one type may know. An object that is cut over many files is still one
// object, and whoever reads one of its methods has to know them all.
const (
	maxMethods = 40
	maxFiles   = 6
	maxFields  = 25
)

// wide is the types that are wider all the same, each with its reason.
var wide = map[string]string{}

//go:build !linux && !darwin

package fence

// Kinds are those that can be raised on this system: none yet.
var Kinds []Kind

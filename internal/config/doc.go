// Package config turns flags, environment, files and defaults into one value.
//
// Every setting knows the layer that set it, the file and line, and what it
// overrode. Nothing is silently ignored: an unknown key, a wrong type or a bad
// value is an error with its place and a hint, and all of them are reported at
// once. Secrets leave this package only inside a Config; wherever settings are
// shown or stored they are masked. What the settings do is for others to know.
package config

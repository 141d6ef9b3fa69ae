// Package fakemodel is a scripted stand-in for a language model's API: with it
// a real agent CLI runs from end to end without a network, an account or a
// model.
//
// A Server listens on loopback, speaks the wire formats that agents speak, and
// plays the turns of a Script. What the script says is what goes over the wire,
// its errors, silences and cut connections included; nothing is random. It
// knows of agents only what they put into a request, and is for tests: nothing
// that ships may import it.
package fakemodel

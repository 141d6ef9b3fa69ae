// Package governor lets all runs of a user know of each other's limits: when a
// provider turns one away, the others need not ask it too, and when the limit is
// over, they come back one after the other and not all at once.
//
// They share one small file in the user's state folder. No run depends on it:
// where it cannot be read or written there is an error, and a run that goes on
// without it learns of limits as it would alone. It holds no secret; an account
// is whatever name the caller gives it. What to do about a limit is for others
// to say, and so is what time it is.
package governor

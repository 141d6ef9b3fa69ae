package fence

// Kinds are those that can be raised on this system.
var Kinds = []Kind{Seatbelt}

package fence

// Kinds are those that can be raised on this system, the best first.
var Kinds = []Kind{Namespaces, Landlock}

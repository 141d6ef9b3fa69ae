package fleet

import "time"

// Server is where the server of a fleet is, and who we are to it.
type Server struct {
	Address   string // host:port
	Namespace string
	TLS       TLS
	APIKey    string // from the environment alone
}

// TLS is what a connection is made safe with. The zero value is a plain one.
type TLS struct {
	On         bool
	Cert, Key  string // files: who we are
	CA         string // a file: whom we believe; empty: whom the system believes
	ServerName string // that the certificate of the server has; empty: the host of the address
}

// Shift is what a worker offers: what it does, for whom, and how much of it at once.
type Shift struct {
	Name  string // of the worker; no two of a fleet have the same
	Queue string // the account that it has the keys of
	Slots int    // legs at once
	Legs  bool   // does legs
	Flows bool   // says where and when: needs no keys, and no room
	// Grace is how long legs may take to come to the next moment between two steps, when
	// the worker leaves. After that their agents are ended; what they did is kept.
	Grace time.Duration
	// Served hears again and again whether the server answers, from the first time that
	// it does. Nil: nobody wants to know.
	Served func(bool)
}

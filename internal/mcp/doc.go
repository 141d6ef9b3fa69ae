// Package mcp lets an agent look after runs: it offers the runs of one work
// tree as tools of the Model Context Protocol.
//
// What the tools tell is read from the journal, and what they want of a live run
// goes through its control socket, so that they know and may do no more than a
// person at a terminal; less, unless the person wants otherwise. An agent that
// is part of a run can look at that run and not steer it. The package starts no
// process and knows no settings: both are the caller's.
package mcp

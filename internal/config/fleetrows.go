package config

import (
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

// Fleet is where the server of a fleet is, what is wanted of runs that are handed to
// it, and what a worker here offers. The key of the server is in the environment
// alone: see FleetKey.
type Fleet struct {
	Address   string
	Namespace string
	TLS       FleetTLS

	Queue         string
	Remote        string // "" is that of the branch, or origin
	Base          string // "" is the commit that is here
	Branch        string // with {{name}} and {{id}}
	Lease         time.Duration
	Patience      time.Duration
	LegIterations int           // zero is any number
	LegTime       time.Duration // zero is as long as it takes
	Sticky        bool
	Priority      int

	Worker FleetWorker
}

// FleetTLS is what the connection to the server is made safe with.
type FleetTLS struct {
	On            bool
	Cert, Key, CA string // files
	ServerName    string
}

// FleetWorker is what a worker offers. Empty is what the machine itself says.
type FleetWorker struct {
	Queue string
	Name  string
	Slots int
	Root  string
	Trust []string
	Only  string // "flows" or "legs"; "" is both
	Grace time.Duration
}

// FleetKey is the variable with the key of the server of a fleet. It is no setting, so
// no file can have it.
const FleetKey = "REFRAIN_FLEET_API_KEY"

// fleetRows is the settings of runs on many machines.
func fleetRows(f *Fleet) []setting.Row {
	return []setting.Row{
		{
			Key: "fleet.address", Kind: setting.Text, At: &f.Address, Default: "127.0.0.1:7233", Required: true, Check: hostAndPort,
			Doc: "where the server of the fleet is, as HOST:PORT; not to be set by a project",
		},
		{
			Key: "fleet.namespace", Kind: setting.Text, At: &f.Namespace, Default: "default", Required: true, Check: wellformed.OneLine,
			Doc: "the namespace of the fleet on the server; not to be set by a project",
		},
		{
			Key: "fleet.tls", Kind: setting.Bool, At: &f.TLS.On, Default: false,
			Doc: "connect by TLS; so does one of the four below, or a key in " + FleetKey + "; not to be set by a project",
		},
		{
			Key: "fleet.tls_cert", Kind: setting.Text, At: &f.TLS.Cert, Default: "", Check: absoluteOrNone,
			Doc: "the file with the certificate by which the server knows us; not to be set by a project",
		},
		{
			Key: "fleet.tls_key", Kind: setting.Text, At: &f.TLS.Key, Default: "", Check: absoluteOrNone,
			Doc: "the file with its key; not to be set by a project",
		},
		{
			Key: "fleet.tls_ca", Kind: setting.Text, At: &f.TLS.CA, Default: "", Check: absoluteOrNone,
			Doc: "the file with the certificates that we believe the server by; empty is those of the system; not to be set by a project",
		},
		{
			Key: "fleet.tls_server_name", Kind: setting.Text, At: &f.TLS.ServerName, Default: "", Check: wellformed.OneLine,
			Doc: "the name that the certificate of the server has; empty is the host of the address; not to be set by a project",
		},
		{
			Key: "fleet.queue", Kind: setting.Text, At: &f.Queue, Default: "default", Required: true, Check: queueName,
			Doc: "whose workers may have a run that is submitted: those that have the keys of one account",
		},
		{
			Key: "fleet.remote", Kind: setting.Text, At: &f.Remote, Default: "", Check: wellformed.OneLine,
			Doc: "the git remote by which runs travel, a name of git's or a URL that workers can reach; empty is that of the branch, or origin",
		},
		{
			Key: "fleet.base", Kind: setting.Text, At: &f.Base, Default: "", Check: wellformed.OneLine,
			Doc: "the branch or the commit that a run begins at; empty is the commit that is checked out here",
		},
		{
			Key: "fleet.branch", Kind: setting.Text, At: &f.Branch, Default: "refrain/{{name}}", Required: true, Check: fleetBranch,
			Doc: "the branch that the work of a run becomes on the remote, with {{name}} and {{id}}",
		},
		{
			Key: "fleet.lease", Kind: setting.Duration, At: &f.Lease, Default: time.Minute, Check: leaseTime,
			Doc: "a worker that is not heard for so long has lost the run, and another one has it",
		},
		{
			Key: "fleet.patience", Kind: setting.Duration, At: &f.Patience, Default: 2 * time.Minute,
			Doc: "a run that has to wait longer waits without a worker; \"0s\": it never keeps one",
		},
		{
			Key: "fleet.leg_iterations", Kind: setting.Int, At: &f.LegIterations, Default: 0,
			Doc: "after so many iterations a run lets others have its worker; 0 is any number",
		},
		{
			Key: "fleet.leg_time", Kind: setting.Duration, At: &f.LegTime, Default: 30 * time.Minute,
			Doc: "after this time a run lets others have its worker, when the iteration is over; \"0s\" is no limit",
		},
		{
			Key: "fleet.sticky", Kind: setting.Bool, At: &f.Sticky, Default: true,
			Doc: "rather go on at the worker that has the files already",
		},
		{
			Key: "fleet.priority", Kind: setting.Int, At: &f.Priority, Default: 0,
			Doc: "which runs have their turn first: 1 before 5; 0 is in the middle",
		},
		{
			Key: "fleet.worker.queue", Kind: setting.Text, At: &f.Worker.Queue, Default: "default", Required: true, Check: queueName,
			Doc: "the queue that a worker here works for; not to be set by a project, as all of fleet.worker",
		},
		{
			Key: "fleet.worker.name", Kind: setting.Text, At: &f.Worker.Name, Default: "", Check: workerName,
			Doc: "what the worker is called, which no other one of the fleet is; empty is the name of the machine",
		},
		{
			Key: "fleet.worker.slots", Kind: setting.Int, At: &f.Worker.Slots, Default: 0,
			Doc: "how many runs it works at, at once; 0 is as many as the machine has processors",
		},
		{
			Key: "fleet.worker.root", Kind: setting.Text, At: &f.Worker.Root, Default: "", Check: absoluteOrNone,
			Doc: "the folder for work trees and records, which is the worker's alone; empty is below the state folder of the user",
		},
		{
			Key: "fleet.worker.trust", Kind: setting.List, At: &f.Worker.Trust, Default: []string{},
			Doc: "the remotes whose runs it takes, as patterns of their URLs, such as \"https://git.example.com/team/*\"; no other run is done here",
		},
		{
			Key: "fleet.worker.only", Kind: setting.Text, At: &f.Worker.Only, Default: "", Choices: []string{"", "flows", "legs"},
			Doc: "do only one half: legs are the work itself, flows say which worker does it, and need no keys and no room",
		},
		{
			Key: "fleet.worker.grace", Kind: setting.Duration, At: &f.Worker.Grace, Default: 30 * time.Second,
			Doc: "how long iterations may take to end when the worker leaves; after that their agents are ended",
		},
	}
}

// ofFleetServer tells whether a key says whom we believe and work for: a project, which
// anybody may have written, has no say in that.
func ofFleetServer(key string) bool {
	switch key {
	case "fleet.address", "fleet.namespace", "fleet.tls":
		return true
	}
	return beginsWith(key, "fleet.tls_", "fleet.worker.")
}

func hostAndPort(v any) (what, hint string) {
	s := v.(string)
	if host, ok := text.SplitHost(s); !ok || host == "" {
		return "must be a host and a port, not " + setting.Quote(s), "write it like fleet.example.com:7233"
	}
	return "", ""
}

// goodQueue is a name that is safe wherever one stands: in a path, in a query, on a
// command line.
var goodQueue = text.NewPattern(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func queueName(v any) (what, hint string) {
	if s := v.(string); !goodQueue().MatchString(s) {
		return setting.Quote(s) + " is not a name for a queue", "use letters, digits, dots, - and _, 64 at most"
	}
	return "", ""
}

func workerName(v any) (what, hint string) {
	if s := v.(string); s != "" && !goodQueue().MatchString(s) {
		return setting.Quote(s) + " is not a name for a worker", "use letters, digits, dots, - and _, 64 at most"
	}
	return "", ""
}

func absoluteOrNone(v any) (what, hint string) {
	if s := v.(string); s != "" {
		return wellformed.AbsolutePaths([]string{s})
	}
	return "", ""
}

// leastLease is what a heartbeat needs to come through now and then.
const leastLease = 5 * time.Second

func leaseTime(v any) (what, hint string) {
	if d := v.(time.Duration); d < leastLease {
		return "must be 5s or more", "a worker that is late for a moment has lost the run else"
	}
	return "", ""
}

func fleetBranch(v any) (what, hint string) {
	rest := strings.NewReplacer("{{name}}", "", "{{id}}", "").Replace(v.(string))
	switch {
	case strings.ContainsAny(rest, "{}"):
		return "has a placeholder that does not exist", "there are {{name}} and {{id}}"
	case rest == v.(string):
		return "would be the same branch for every run", "put {{name}} or {{id}} into it"
	}
	return "", ""
}

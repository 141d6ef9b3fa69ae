package archtest

// bare are the functions of package os that open whatever they find: a named
// pipe makes them wait for ever, and a device has no end. What an agent can put
// something in the place of is opened by package files.
var bare = []string{"ReadFile", "Open", "OpenFile", "OpenRoot", "DirFS", "Create", "WriteFile"}

// mayOpen says who may use them all the same, and why: a file, or a package with
// all of its files.
var mayOpen = map[string]string{
	"internal/files": "this is where it is done right",

	"internal/journal": "the run's own folder, which is out of the project; what it reads it opens with care",

	"internal/checkpoint/checkout.go": "writes into a new folder",
	"internal/checkpoint/loose.go":    "makes a new file, and opens none",
	"internal/git/mergeconfig.go":     "writes into a new folder",
	"internal/checkpoint/sort.go":     "makes a new file, and opens none",
	"internal/pool/pool.go":           "makes new files, and opens none",

	"internal/proc/cgroup_linux.go": "files of the kernel's",
	"internal/proc/table_linux.go":  "files of the kernel's",
	"internal/proc/child.go":        "a file of the system's",
	"internal/proc/stream.go":       "a file that it has just made",

	"internal/proc/tryfence_linux.go":  "a new folder, and what must not open",
	"internal/proc/tryfence_darwin.go": "a new folder",

	"internal/fence/bound_linux.go":   "files of the kernel's",
	"internal/fence/connect_linux.go": "files of the kernel's",
	"internal/fence/facts_linux.go":   "files of the kernel's",
	"internal/fence/inside_linux.go":  "files of the kernel's",
	"internal/fence/mounts_linux.go":  "a new folder, and what is not there yet",

	"internal/proxy/listener.go": "a folder that it has just made",
	"internal/sandbox/points.go": "makes new files in a folder of ours, out of which it follows no link",

	"internal/lineup/warnings.go":    "a file of the system's",
	"internal/flow/secure.go":        "a file that the user names in the own settings",
	"internal/app/log.go":            "log.file outside of the work tree is the user's own, and may be a terminal",
	"internal/scaffold/demo.go":      "writes into a new folder",
	"internal/project/early.go":      "makes a new file, and opens none",
	"internal/request/procedures.go": "makes a new file, and opens none",
	"internal/cli/detach.go":         "writes into a new folder, whose name only two runners know",
	"internal/rehearsal/verbs.go":    "it is the agent that writes here",

	"internal/config/gen": "makes our own pages",
	"internal/story":      "for tests",
}

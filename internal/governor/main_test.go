package governor

import (
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// workerName makes this binary a run that notes and reserves in a folder.
const workerName = "GOVERNOR_TEST_WORKER"

func TestMain(m *testing.M) {
	if name := os.Getenv(workerName); name != "" {
		os.Exit(work(name, os.Args[1]))
	}
	goleak.VerifyTestMain(m)
}

const (
	workers = 4
	turns   = 12
)

func work(name, dir string) int {
	patience = time.Minute // the machine may be busy
	b := Open(dir)
	for n := range turns {
		run := fmt.Sprintf("%s-%d", name, n)
		if err := b.Note(Entry{Account: "shared", Kind: run, At: noon, Until: noon.Add(time.Hour), Run: run}); err != nil {
			fmt.Println(err)
			return 1
		}
		at, err := b.Reserve("shared", run, noon.Add(time.Hour), noon)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println(at.Format(time.RFC3339Nano))
	}
	return 0
}

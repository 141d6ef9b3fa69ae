package awake

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

// parentName makes this binary a process that holds until it is killed.
const parentName = "AWAKE_TEST_PARENT"

func TestMain(m *testing.M) {
	if os.Getenv(parentName) != "" {
		os.Exit(parent())
	}
	goleak.VerifyTestMain(m)
}

func parent() int {
	v := Hold("a test")
	<-v.Tried()
	fmt.Println(v.Held())
	select {}
}

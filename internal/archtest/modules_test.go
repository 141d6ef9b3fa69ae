package archtest

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// text 0.39 is the first that ends on any input; our help goes through it.
func TestTextIsOneThatEnds(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`golang.org/x/text v0\.(\d+)\.`).FindSubmatch(mod)
	if found == nil {
		return // nobody needs it any more
	}
	if minor, err := strconv.Atoi(string(found[1])); err != nil || minor < 39 {
		t.Errorf("go.mod has golang.org/x/text 0.%s, want 0.39 or later", found[1])
	}
}

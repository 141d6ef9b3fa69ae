package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A recipe that is told to people is one that was tried.
func TestRecipesOfTheDocsAreInAStory(t *testing.T) {
	story, err := os.ReadFile("testdata/script/events-recipes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/scripting.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(page, -1)
	if len(recipes) < 10 {
		t.Fatalf("%d recipes found", len(recipes))
	}
	for _, r := range recipes {
		if !strings.Contains(string(story), ".sh --\n"+string(r[1])+"-- ") && !strings.HasSuffix(string(story), ".sh --\n"+string(r[1])) {
			t.Errorf("no story plays this recipe:\n%s", r[1])
		}
	}
}

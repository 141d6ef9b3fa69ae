package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// A recipe that is told to people is one that was tried.
func TestRecipesOfTheDocsAreInAStory(t *testing.T) {
	var stories string
	for _, name := range []string{"events-recipes", "runs-later"} {
		story, err := os.ReadFile("testdata/script/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		stories += string(story) + "-- \n"
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
		if !strings.Contains(stories, ".sh --\n"+string(r[1])+"-- ") {
			t.Errorf("no story plays this recipe:\n%s", r[1])
		}
	}
}

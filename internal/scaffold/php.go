package scaffold

import "encoding/json"

var php = row{kind: PHP, markers: []string{"composer.json"}, adapt: adaptPHP}

// phpLinters are programs by the files that configure them.
var phpLinters = []struct {
	files []string
	line  string
}{
	{[]string{"phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"}, "vendor/bin/phpstan analyse --no-progress"},
	{[]string{"pint.json"}, "vendor/bin/pint --test"},
	{[]string{".php-cs-fixer.php", ".php-cs-fixer.dist.php"}, "vendor/bin/php-cs-fixer fix --dry-run"},
	{[]string{"phpcs.xml", "phpcs.xml.dist", ".phpcs.xml", ".phpcs.xml.dist"}, "vendor/bin/phpcs"},
}

// adaptPHP calls PHPUnit itself where it can: the scripts of frameworks print
// results in forms of their own, which nobody can count.
func adaptPHP(p tree, t *Toolchain) {
	var composer struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
		Dev     map[string]json.RawMessage `json:"require-dev"`
	}
	if err := json.Unmarshal([]byte(p.read("composer.json")), &composer); err != nil {
		t.broken("composer.json", err)
	}
	t.TestFiles = []string{"tests/"}
	switch {
	case composer.Dev["pestphp/pest"] != nil:
		t.Test.Line = "vendor/bin/pest"
		t.note("the tests of Pest are not counted: they pass or fail as a whole", "nothing has to be done")
	case p.has("phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"):
		t.Test.Line = "vendor/bin/phpunit"
	case composer.Scripts["test"] != nil:
		t.Test = composerScript("test")
	}
	for _, linter := range phpLinters {
		if p.has(linter.files...) {
			t.Lint.Line = linter.line
			return
		}
	}
	if composer.Scripts["lint"] != nil {
		t.Lint = composerScript("lint")
	}
}

func composerScript(name string) Command {
	return Command{
		Line: "composer run-script --timeout=0 " + name,
		Why:  "Without --timeout=0, Composer ends every script after five minutes; the gate has a time limit of its own.",
	}
}

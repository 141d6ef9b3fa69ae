package scaffold

var ruby = row{kind: Ruby, markers: []string{"Gemfile", "*.gemspec"}, adapt: adaptRuby}

// adaptRuby finds the tests by their folder. A Gemfile without any is often
// that of a project of another kind.
func adaptRuby(p tree, t *Toolchain) {
	bundle := ""
	if p.has("Gemfile") {
		bundle = "bundle exec "
	}
	switch {
	case p.has(".rspec", "spec/spec_helper.rb"):
		t.Test.Line = bundle + "rspec"
		t.TestFiles = []string{"*_spec.rb"}
	case p.has("bin/rails") && p.isFolder("test"):
		t.Test.Line = "bin/rails test"
		t.TestFiles = []string{"*_test.rb"}
	case p.has("Rakefile") && p.isFolder("test"):
		t.Test.Line = bundle + "rake test"
		t.TestFiles = []string{"test/"}
	}
	if p.has(".rubocop.yml") {
		t.Lint.Line = bundle + "rubocop"
	}
}

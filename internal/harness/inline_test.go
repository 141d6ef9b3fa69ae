package harness

import "testing"

func TestInlineTestsArePutBack(t *testing.T) {
	const product, tests = "fn add() {}\n", "#[cfg(test)]\nmod tests { old }\n"
	for _, tt := range []struct {
		name, old, now, want string
		same                 bool
	}{
		{"the product was changed", product + tests, "fn add() { new }\n" + tests, "fn add() { new }\n" + tests, true},
		{"the tests were changed", product + tests, "fn add() { new }\n#[cfg(test)]\nmod tests { bent }\n", "fn add() { new }\n" + tests, false},
		{"the tests are gone", product + tests, "fn add() { new }\n", "fn add() { new }\n" + tests, false},
		{"the first tests", product, product + tests, product, false},
	} {
		got, same := Blend("src/lib.rs", []byte(tt.old), []byte(tt.now))
		if string(got) != tt.want || same != tt.same {
			t.Errorf("%s: %q, same %v; want %q, %v", tt.name, got, same, tt.want, tt.same)
		}
	}
}

func TestData(t *testing.T) {
	for file, want := range map[string]bool{"expected.json": true, "a/cases.txt": true, "calc.go": false, "README.md": false, "index.js": false, "Makefile": false} {
		if got := Data(file); got != want {
			t.Errorf("Data(%q) = %v", file, got)
		}
	}
}

// Words that products use too are tests' only outside of the product's folders.
func TestEverydayWords(t *testing.T) {
	for file, want := range map[string]Kind{
		"src/fixtures/products.json": Product, "src/golden/ratio.py": Product, "pkg/e2e/client.go": Product,
		"fixtures/a.json": Test, "tests/fixtures/a.json": Test, "src/__tests__/fixtures/a.json": Test, "e2e/login.ts": Test, "src/testdata/a.txt": Test,
	} {
		if got := Of(file); got != want {
			t.Errorf("Of(%q) = %v, want %v", file, got, want)
		}
	}
}

package ledger

import "testing"

// A run of ten thousand iterations and a million events has to open at once: what is
// measured is the end of it, a page from its middle, and all of its attempts.
func BenchmarkALongRun(b *testing.B) {
	iterations := 10000
	if testing.Short() {
		iterations = 500
	}
	b.Setenv("XDG_STATE_HOME", b.TempDir())
	store, r := longNight(b, b.TempDir(), iterations)
	name := r.Meta().Name
	b.Run("end", func(b *testing.B) {
		for b.Loop() {
			if p, err := Open(store, name).Page(b.Context(), Query{Limit: 200}); err != nil || len(p.Lines) != 200 {
				b.Fatal(len(p.Lines), err)
			}
		}
	})
	b.Run("all-attempts", func(b *testing.B) {
		for b.Loop() {
			if err := Open(store, name).Read(func(book *Book) {
				if len(book.Attempts) != iterations {
					b.Fatal(len(book.Attempts))
				}
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	l := Open(store, name)
	if err := l.Read(func(*Book) {}); err != nil {
		b.Fatal(err)
	}
	b.Run("middle", func(b *testing.B) {
		for b.Loop() {
			if p, err := l.Page(b.Context(), Query{Limit: 200, Before: l.newest() / 2}); err != nil || len(p.Lines) != 200 {
				b.Fatal(len(p.Lines), err)
			}
		}
	})
}

package governor

import (
	"errors"
	"os"
	"slices"
	"testing"
)

// Whatever stands in the file, a note is taken and found, or the file is left
// to a newer version.
func FuzzFile(f *testing.F) {
	f.Add([]byte(``))
	f.Add([]byte(`null`))
	f.Add([]byte(`{"version":1,"limits":[{"account":"a","at":"2026-05-04T12:00:00Z"}],"wakes":[{"account":"a","run":"r","at":"2026-05-04T12:00:00Z"}]}`))
	f.Add([]byte(`{"version":1,"limits":null,"Limits":[{}],"more":1e999}`))
	f.Add([]byte(`{"version":99}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b := Open(t.TempDir())
		must(t, os.WriteFile(b.path(), text, 0o600))
		err := b.Note(aLimit)
		var newer *newerError
		if errors.As(err, &newer) {
			return
		}
		var damaged *DamagedError
		if err != nil && !errors.As(err, &damaged) {
			t.Fatalf("Note = %v", err)
		}
		if c, err := b.read(); err != nil || !slices.Contains(c.limits, aLimit) {
			t.Errorf("the note is not found in %+v, %v", c, err)
		}
		if _, err := b.Reserve("a", "r", noon, noon); err != nil {
			t.Errorf("Reserve = %v", err)
		}
	})
}

package project

import (
	"bytes"
	"errors"
	"os"
	"testing"
)

// A key that is gone is not replaced by whoever claims a project, only by who
// says that it is to be.
func TestAKeyThatIsGoneIsNotReplacedSilently(t *testing.T) {
	s := newScene(t)
	s.git("a")
	p := s.claim("a", "run-1")
	first, err := p.Keys().Read()
	if err != nil || first == nil {
		t.Fatalf("Key = %x, %v, want the first one", first, err)
	}
	if renewed, err := p.Keys().Renew(); renewed || err != nil {
		t.Errorf("RenewKey = %v, %v, and the key is there", renewed, err)
	}
	if err := os.Remove(p.Keys().File()); err != nil {
		t.Fatal(err)
	}
	p = s.claim("a", "")
	if key, err := p.Keys().Read(); key != nil || err != nil {
		t.Errorf("Claim made another key: %x, %v", key, err)
	}
	if renewed, err := p.Keys().Renew(); !renewed || err != nil {
		t.Errorf("RenewKey = %v, %v, want another key", renewed, err)
	}
	if key, err := p.Keys().Read(); err != nil || key == nil || bytes.Equal(key, first) {
		t.Errorf("Key = %x, %v, want another than %x", key, err, first)
	}
}

// A live run puts its key back where there is none, and leaves another alone.
func TestHoldKey(t *testing.T) {
	s := newScene(t)
	s.git("a")
	p := s.claim("a", "run-1")
	key, _ := p.Keys().Read()
	for name, act := range map[string]func(){
		"gone":    func() { os.Remove(p.Keys().File()) },
		"damaged": func() { writeFile(t, p.Keys().File(), "oops") },
	} {
		act()
		back, err := p.Keys().Hold(key, 0)
		now, _ := p.Keys().Read()
		if !back || err != nil || !bytes.Equal(now, key) {
			t.Errorf("%s: HoldKey = %v, %v, and the key is %x, want %x", name, back, err, now, key)
		}
	}
	if back, err := p.Keys().Hold(make([]byte, keySize), 0); back || err != nil {
		t.Errorf("HoldKey = %v, %v, want the key that is there left alone", back, err)
	}
}

func TestADamagedKeyIsNamedAndKept(t *testing.T) {
	s := newScene(t)
	s.git("a")
	p := s.claim("a", "")
	writeFile(t, p.Keys().File(), "oops")
	_, err := s.find("a").Claim()
	var damaged *KeyError
	if !errors.As(err, &damaged) || damaged.File != p.Keys().File() || damaged.Hint() == "" {
		t.Errorf("Claim = %v, want that the key is damaged, and what to do", err)
	}
	if b, err := os.ReadFile(p.Keys().File()); string(b) != "oops" {
		t.Errorf("the file of the key holds %q, %v", b, err)
	}
}

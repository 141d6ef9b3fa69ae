package fence

import (
	"bytes"
	"encoding/gob"
	"errors"
	"reflect"
	"testing"
)

func TestTheWordOfAPolicy(t *testing.T) {
	tests := []struct {
		policy *Policy
		want   string
		kind   Kind
	}{
		{nil, "none", None},
		{&Policy{}, "none", None},
		{&Policy{Kind: None, Proxy: "/p"}, "none", None},
		{&Policy{Kind: Landlock}, "landlock", Landlock},
		{&Policy{Kind: Namespaces, Proxy: "/p"}, "namespaces+proxy", Namespaces},
	}
	for _, tt := range tests {
		if got := tt.policy.Word(); got != tt.want || KindOf(got) != tt.kind {
			t.Errorf("word of %+v = %q of kind %q, want %q of %q", tt.policy, got, KindOf(got), tt.want, tt.kind)
		}
	}
}

// A policy that lost a field on its way would be a weaker one.
func TestAPolicyTravelsWhole(t *testing.T) {
	var sent Policy
	v := reflect.ValueOf(&sent).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("x")
		case reflect.Int:
			f.SetInt(1)
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Slice:
			f.Set(reflect.ValueOf([]string{"x", "y"}))
		default:
			t.Fatalf("%s is of a kind that this test does not know", v.Type().Field(i).Name)
		}
	}
	var b bytes.Buffer
	var got Policy
	if err := errors.Join(gob.NewEncoder(&b).Encode(sent), gob.NewDecoder(&b).Decode(&got)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, sent) {
		t.Errorf("got %+v, sent %+v", got, sent)
	}
}

func TestAnErrorSaysWhichFenceWhatAndWhy(t *testing.T) {
	err := error(&Error{Kind: Landlock, What: "make a ruleset", Err: errors.ErrUnsupported})
	if want := "sandbox landlock: make a ruleset: unsupported operation"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if !errors.Is(err, errors.ErrUnsupported) {
		t.Error("the cause is lost")
	}
}

func TestFactsCanBePretended(t *testing.T) {
	real := Look()
	undo := Pretend(Facts{Kernel: "5.4"})
	if got := Look(); got.Kernel != "5.4" {
		t.Errorf("Look = %+v", got)
	}
	undo()
	if got := Look(); got != real {
		t.Errorf("Look = %+v, want %+v", got, real)
	}
}

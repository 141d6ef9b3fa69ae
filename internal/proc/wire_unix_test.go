//go:build unix

package proc

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// full sets every exported field of a value to something that is not its zero.
func full(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				full(t, v.Field(i))
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		full(t, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		full(t, v.Index(0))
	case reflect.String:
		v.SetString(v.Type().String() + " \x00ü")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-1 << 31)
	case reflect.Uint32, reflect.Uintptr:
		v.SetUint(1<<32 - 1)
	default:
		t.Fatalf("nobody has said how a %v travels", v.Type())
	}
}

// A field that somebody adds and forgets on the wire would be lost in silence.
func TestAMessageArrivesWhole(t *testing.T) {
	for _, make := range []func() message{
		func() message { return &request{} },
		func() message { return &report{} },
		func() message { return &policy{} },
	} {
		for _, fill := range []bool{true, false} {
			sent, got := make(), make()
			if fill {
				full(t, reflect.ValueOf(sent).Elem())
			}
			stream := bytes.NewReader(append(encoded(sent), "what follows"...))
			if err := decode(stream, got); err != nil {
				t.Fatalf("%T: %v", sent, err)
			}
			if diff := cmp.Diff(sent, got, cmp.AllowUnexported(request{})); diff != "" {
				t.Errorf("%T (-sent +got):\n%s", sent, diff)
			}
			if stream.Len() != len("what follows") {
				t.Errorf("%T: %d bytes of the next message were taken", sent, len("what follows")-stream.Len())
			}
		}
	}
}

// Whatever comes over a link, it is a message or an error.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(&request{ID: 1, Do: doStart, Argv: []string{"sh", "-c", "true"}}))
	f.Add(encoded(&report{ID: 1, Left: []int{1, 2}, Unfenced: &lack{Why: "so"}}))
	f.Add(encoded(&policy{Kind: "landlock", Write: []string{"/tmp"}}))
	f.Add([]byte{0, 0, 0, 2, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, m := range []message{&request{}, &report{}, &policy{}} {
			if decode(bytes.NewReader(b), m) != nil {
				continue
			}
			again := reflect.New(reflect.TypeOf(m).Elem()).Interface().(message)
			if err := decode(bytes.NewReader(encoded(m)), again); err != nil || !reflect.DeepEqual(m, again) {
				t.Errorf("%+v comes back as %+v, %v", m, again, err)
			}
		}
	})
}

package redact

import "reflect"

// In is a value without secrets in its texts, however deep they are: the same one
// when there are none, else a copy. A field with the tag `redact:"-"` is what
// something is known by, as a hash or the number of a session: to hide it would
// lose it. Nor is a type of text with a name of its own looked at: those are words
// of ours.
func In[T any](r *Redactor, v T) T {
	if r == nil {
		return v
	}
	from := reflect.ValueOf(&v).Elem()
	if clean, changed := r.value(from); changed {
		from.Set(clean)
	}
	return v
}

var plainText = reflect.TypeFor[string]()

// value is a value without secrets, and whether that is another one.
func (r *Redactor) value(v reflect.Value) (reflect.Value, bool) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() != plainText {
			return v, false
		}
		s := v.String()
		clean := r.Text(s)
		return reflect.ValueOf(clean), clean != s
	case reflect.Pointer:
		if v.IsNil() {
			return v, false
		}
		clean, changed := r.value(v.Elem())
		if !changed {
			return v, false
		}
		p := reflect.New(v.Type().Elem())
		p.Elem().Set(clean)
		return p, true
	case reflect.Interface:
		if v.IsNil() {
			return v, false
		}
		return r.value(v.Elem())
	case reflect.Struct:
		return r.fields(v)
	case reflect.Slice, reflect.Array:
		return r.items(v)
	case reflect.Map:
		return r.entries(v)
	}
	return v, false
}

func (r *Redactor) fields(v reflect.Value) (reflect.Value, bool) {
	t, out, changed := v.Type(), v, false
	for i := range t.NumField() {
		if f := t.Field(i); !f.IsExported() || f.Tag.Get("redact") == "-" {
			continue
		}
		if clean, other := r.value(v.Field(i)); other {
			if !changed {
				out, changed = reflect.New(t).Elem(), true
				out.Set(v)
			}
			out.Field(i).Set(clean)
		}
	}
	return out, changed
}

func (r *Redactor) items(v reflect.Value) (reflect.Value, bool) {
	switch v.Type().Elem().Kind() {
	case reflect.String, reflect.Pointer, reflect.Interface, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
	default:
		return v, false
	}
	out, changed := v, false
	for i := range v.Len() {
		if clean, other := r.value(v.Index(i)); other {
			if !changed {
				out, changed = copied(v), true
			}
			out.Index(i).Set(clean)
		}
	}
	return out, changed
}

func copied(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Array {
		out := reflect.New(v.Type()).Elem()
		out.Set(v)
		return out
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(out, v)
	return out
}

func (r *Redactor) entries(v reflect.Value) (reflect.Value, bool) {
	changed := false
	clean := reflect.MakeMapWithSize(v.Type(), v.Len())
	for each := v.MapRange(); each.Next(); {
		key, otherKey := r.value(each.Key())
		value, otherValue := r.value(each.Value())
		changed = changed || otherKey || otherValue
		clean.SetMapIndex(key, value)
	}
	if !changed {
		return v, false
	}
	return clean, true
}

package tests

// said is what tests or packages said before it is known how they end.
type said map[string]*message

// maxTalking is how many may have said something at once. A program that prints
// the lines of ever new tests must not fill the memory.
const maxTalking = 1000

func (s *said) of(name string) *message {
	name = short(name)
	if m := (*s)[name]; m != nil {
		return m
	}
	if *s == nil || len(*s) == maxTalking {
		*s = make(said)
	}
	m := new(message)
	(*s)[keep(name)] = m
	return m
}

// take is what one said, which then has ended; nil when it said nothing.
func (s *said) take(name string) *message {
	name = short(name)
	m := (*s)[name]
	delete(*s, name)
	return m
}

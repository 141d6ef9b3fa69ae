package small

func (w Wide) far() { w.one() }

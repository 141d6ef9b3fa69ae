package in

func Twice(n int) int { return 2 * n }

func add(numbers []int) int {
	total := 0
	for _, number := range numbers {
		total += number
	}
	return total
}

var _ = add

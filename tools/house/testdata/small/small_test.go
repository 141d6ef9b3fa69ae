package small

// three lines

module example.com/small

go 1.26

require (
	example.com/one v1.0.0
	example.com/two v1.0.0 // indirect
)

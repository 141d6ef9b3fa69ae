//go:build !linux

package web

import "net/http"

// peersOf cannot be told here.
func peersOf(*http.Request) []int { return nil }

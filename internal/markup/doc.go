// Package markup makes HTML of what agents and their programs wrote: of Markdown,
// of what was printed for a terminal, and of code in colours.
//
// Whatever goes in, what comes out is harmless in a page: only elements and classes
// of the package's own, no scripts, no styles, no images, and links that lead to
// http(s) alone. It knows no runs.
package markup

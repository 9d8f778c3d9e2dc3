// Package page writes Markdown for people: the pages of the status branch, from the ledger, and the comment on a pull
// request, from a plan.
//
// It decides the content of a page, its order and its length. It never decides what the ledger holds or when a page is
// written: pkg/status and the commands do. It reads its arguments, keeps nothing of them and changes nothing; the caller
// owns the bytes that it returns. Equal arguments give equal bytes.
//
// Every text of people goes through escape (or brief, or code), so that none of it means anything to a renderer. There is
// no other escaper of Markdown.
package page

// Names that the links of the pages depend on: each page is File in its directory, and that of a tenant or an application
// is below Dir.
const (
	File = "README.md"
	Dir  = "tenants"
)

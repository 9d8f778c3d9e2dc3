// Package sealed has encrypted files opened by a child process, reconciler-decrypt, which
// alone reads the key. The child has no environment and no network, and limits of time,
// memory and size. The package never reads the key or the format of the files, keeps no
// value, and repeats none in an error.
package sealed

// Codes of refusals. docs/secrets.md explains each.
const (
	CodeFormat  = "DA1604" // it is no file that can be opened here
	CodeChanged = "DA1605" // it is not as it was encrypted
	CodeKey     = "DA1606" // it is encrypted for other keys
	CodeKeyFile = "DA1607" // the file with the keys cannot be read, or no child can run
)

// MaxFile bounds a file, in bytes.
const MaxFile = 2 << 20

// An Answer is what a child says about a file: its values, or why there are none.
type Answer struct {
	Values  map[string][]byte `json:"values,omitempty"`
	Code    string            `json:"code,omitempty"`
	Message string            `json:"message,omitempty"`
}

// A Refusal is why a file was not opened.
type Refusal struct{ Code, Message string }

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// Final reports whether the file is to blame, so that another attempt ends the same.
func (r *Refusal) Final() bool { return r.Code == CodeFormat || r.Code == CodeChanged }

package declared

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"
)

// Read reads JSON strictly: unknown fields and trailing text are errors. Nothing is no JSON,
// and leaves v as it is.
func Read(b []byte, v any) error {
	if len(b) == 0 {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return errors.New(strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("text after the end")
	}
	return nil
}

// Seconds reads a duration in whole seconds, rounded up.
func Seconds(path, s string) (int64, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, Faultf(CodeUnreadable, path, "%q is not a duration such as 30s or 10m", s)
	}
	return int64((d + time.Second - 1) / time.Second), nil
}

// OptionalSeconds is Seconds for a duration that may be left out.
func OptionalSeconds(path, s string) (int32, error) {
	if s == "" {
		return 0, nil
	}
	n, err := Seconds(path, s)
	return int32(min(n, 1<<31-1)), err
}

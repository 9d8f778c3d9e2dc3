package outbound

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/d-aros/d-aros/pkg/text"
)

// Headers of a message, as in https://www.standardwebhooks.com. Repetitions of a
// message have the same id.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// keyPrefix begins a key that is written in base64.
const keyPrefix = "whsec_"

const (
	minKey = 16
	maxKey = 4 << 10
)

// sign sets the headers of a message. Without a key there is no signature.
func sign(h http.Header, id string, at time.Time, body, key []byte) {
	seconds := strconv.FormatInt(at.Unix(), 10)
	h.Set(headerID, id)
	h.Set(headerTimestamp, seconds)
	if key == nil {
		return
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, seconds, body)
	h.Set(headerSignature, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
}

// readKey reads a key below a directory each time, so that a change needs no restart.
func readKey(dir, tenant, secret string) ([]byte, error) {
	missing := &failure{ClassKey, fmt.Sprintf("there is no key %s of tenant %s; whoever runs the reconciler puts it there (--notify-keys)", text.Line(secret, maxMessage), text.Line(tenant, maxMessage))}
	if dir == "" || !filepath.IsLocal(tenant) || !filepath.IsLocal(secret) || strings.ContainsAny(tenant+secret, `/\`) || strings.HasPrefix(secret, ".") {
		return nil, missing
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, missing
	}
	defer root.Close()
	file, err := root.Open(filepath.Join(tenant, secret))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing
	}
	if err != nil {
		return nil, &failure{ClassKey, fmt.Sprintf("the key %s of tenant %s cannot be read", text.Line(secret, maxMessage), text.Line(tenant, maxMessage))}
	}
	defer file.Close()
	key, err := decodeKey(file)
	if err != nil {
		return nil, &failure{ClassKey, fmt.Sprintf("the key %s of tenant %s %s", text.Line(secret, maxMessage), text.Line(tenant, maxMessage), err)}
	}
	return key, nil
}

// ReadKeyFile reads a key that signs messages.
func ReadKeyFile(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	key, err := decodeKey(file)
	if err != nil {
		return nil, fmt.Errorf("key %s %w", name, err)
	}
	return key, nil
}

// decodeKey reads a key, plain or in base64 after whsec_. The error continues a
// sentence that begins with "the key".
func decodeKey(from io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, maxKey+1))
	if err != nil || len(data) > maxKey {
		return nil, errors.New("cannot be read, or is too long")
	}
	key := bytes.TrimRight(data, "\r\n")
	if encoded, ok := bytes.CutPrefix(key, []byte(keyPrefix)); ok {
		if key, err = base64.StdEncoding.DecodeString(string(encoded)); err != nil {
			return nil, errors.New("is not base64 after " + keyPrefix)
		}
	}
	if len(key) < minKey {
		return nil, fmt.Errorf("is shorter than %d bytes", minKey)
	}
	return key, nil
}

package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// maxAge is how far the time of a signed message may be from ours, as Standard Webhooks recommends.
const maxAge = 5 * time.Minute

// verify returns the code (HMAC-SHA256) by which the key signs a message. The first header that is there has to hold it:
//
//	webhook-signature     v1,<base64> of "<id>.<seconds>.<body>", and other codes after spaces: GitLab and Standard Webhooks
//	X-Hub-Signature-256   sha256=<hex> of the body: GitHub, and others that follow it
//	X-Forgejo-Signature   <hex> of the body
//	X-Gitea-Signature     <hex> of the body
//
// GitLab's older X-Gitlab-Token is no signature but the secret itself, and is not accepted.
func verify(h http.Header, body, key []byte, now time.Time) (mac [sha256.Size]byte, ok bool) {
	if codes := h.Get("webhook-signature"); codes != "" {
		id, at := h.Get("webhook-id"), h.Get("webhook-timestamp")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxAge {
			return mac, false
		}
		mac = code(key, []byte(id+"."+at+"."), body)
		for one := range strings.FieldsSeq(codes) {
			encoded, _ := strings.CutPrefix(one, "v1,")
			if got, err := base64.StdEncoding.DecodeString(encoded); err == nil && hmac.Equal(got, mac[:]) {
				return mac, true
			}
		}
		return mac, false
	}
	mac = code(key, body)
	for _, name := range []string{"X-Hub-Signature-256", "X-Forgejo-Signature", "X-Gitea-Signature"} {
		if signature := h.Get(name); signature != "" {
			got, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
			return mac, err == nil && hmac.Equal(got, mac[:])
		}
	}
	return mac, false
}

func code(key []byte, parts ...[]byte) (mac [sha256.Size]byte) {
	h := hmac.New(sha256.New, key)
	for _, p := range parts {
		h.Write(p)
	}
	h.Sum(mac[:0])
	return mac
}

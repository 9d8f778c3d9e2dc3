package apply

import (
	_ "embed"

	"github.com/klauspost/compress/s2"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// packed is an object in JSON, compressed: after a start, the values of our fields are kept of each object until they are
// compared with what is wanted. That is a kilobyte for each, of which a fifth is left.
type packed string

// likely is an object whose words most objects have.
//
//go:embed packed.json
var likely []byte

var words = s2.MakeDict(likely, nil)

func pack(object []byte) packed { return packed(words.Encode(nil, object)) }

// text returns the object as it was packed, nil if there is none.
func (p packed) text() []byte {
	if p == "" {
		return nil
	}
	text, err := words.Decode(nil, []byte(p))
	if err != nil {
		panic("apply: unpack what was packed: " + err.Error())
	}
	return text
}

// decoded returns the object, nil if there is none.
func (p packed) decoded() (object map[string]any) {
	if p == "" || utiljson.Unmarshal(p.text(), &object) != nil {
		return nil
	}
	return object
}

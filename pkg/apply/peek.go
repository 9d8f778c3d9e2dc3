package apply

import "github.com/tidwall/gjson"

// glance is what an object says of itself before it is decoded.
type glance struct{ namespace, name, version string }

// peek reads which object this is in which version. It reports false where it is not sure: then the object
// has to be decoded. It costs a small part of that.
func peek(object string) (seen glance, ok bool) {
	found := gjson.GetMany(object, "metadata.namespace", "metadata.name", "metadata.resourceVersion")
	namespace, name, version := found[0], found[1], found[2]
	ok = (namespace.Type == gjson.String || !namespace.Exists()) && name.Type == gjson.String && version.Type == gjson.String
	return glance{namespace.Str, name.Str, version.Str}, ok
}

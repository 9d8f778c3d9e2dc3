package declared

import (
	"maps"
	"slices"
	"strings"
)

// Domain is the part of label and annotation names that belongs to D-AROS.
const Domain = "d-aros.dev/"

// LabelInventory marks inventories, for other tools too.
const LabelInventory = "cli-utils.sigs.k8s.io/inventory-id"

// RefuseReserved refuses labels and annotations that only D-AROS sets, and annotations
// that bring configuration into a shared controller.
func RefuseReserved(path string, labels, annotations map[string]string) error {
	for _, words := range []map[string]string{labels, annotations} {
		for _, key := range slices.Sorted(maps.Keys(words)) {
			if key == LabelInventory {
				return Faultf(CodeReserved, path, "sets %s, which marks inventories", key)
			}
			if strings.HasPrefix(key, Domain) {
				return Faultf(CodeReserved, path, "sets %s; what begins with %s is set by the system", key, Domain)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(annotations)) {
		if strings.HasSuffix(key, "-snippet") {
			return Faultf(CodeReserved, path, "sets %s, which would put configuration into a controller that others share", key)
		}
	}
	return nil
}

// Merge returns the union of a and b; b wins.
func Merge(a, b map[string]string) map[string]string {
	union := make(map[string]string, len(a)+len(b))
	maps.Copy(union, a)
	maps.Copy(union, b)
	return union
}

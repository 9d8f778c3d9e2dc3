package declared

import "k8s.io/apimachinery/pkg/api/resource"

// Quantity converts an amount of the named resource.
func Quantity(name string, n int64) resource.Quantity {
	switch name {
	case "cpu":
		return *resource.NewMilliQuantity(n, resource.DecimalSI)
	case "memory":
		return *resource.NewQuantity(n, resource.BinarySI)
	}
	return *resource.NewQuantity(n, resource.DecimalSI)
}

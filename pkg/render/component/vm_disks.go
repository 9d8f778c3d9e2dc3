package component

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// disk is one of the disks of a machine beside that of its image.
type disk struct {
	Name         string          `json:"name"`
	Type         string          `json:"type"`
	Size         string          `json:"size"`
	StorageClass string          `json:"storageClass"`
	Claim        string          `json:"claim"`
	Source       declared.Source `json:"source"`
}

// attach gives one of count machines its disks: the one that it boots from, the others,
// and what cloud-init reads.
func (m *machine) attach(spec *guest, name string, count int) error {
	d := &spec.Domain.Devices
	d.Disks = nil
	add := func(v guestVolume, shown guestDisk) {
		shown.Name, shown.Disk.Bus = v.Name, "virtio"
		spec.Volumes, d.Disks = append(spec.Volumes, v), append(d.Disks, shown)
	}
	boots := slices.ContainsFunc(m.Disks, func(d disk) bool { return d.Name == m.Boot && (d.Type == "persistent" || d.Type == "existing") })
	switch {
	case (m.Image == "") == (m.Boot == ""):
		return declared.Faultf(declared.CodeConflict, "properties", "boots from an image or from a disk: write either image or boot")
	case m.Boot != "" && !boots:
		return declared.Faultf(declared.CodeReference, "properties.boot", "names %s, which is no persistent or existing disk among properties.disks", m.Boot)
	case m.Image != "":
		add(guestVolume{Name: "image", ContainerDisk: &containerDisk{m.Image}}, guestDisk{BootOrder: 1})
	}
	for i, disk := range m.Disks {
		path := fmt.Sprintf("properties.disks.%d", i)
		if slices.ContainsFunc(spec.Volumes, func(v guestVolume) bool { return v.Name == disk.Name }) || disk.Name == "cloudinit" {
			return declared.Faultf(declared.CodeConflict, path+".name", "is the name of another disk of the machine")
		}
		volume, err := m.volume(path, disk, name, count)
		if err != nil {
			return err
		}
		shown := guestDisk{Serial: disk.Name}
		if disk.Name == m.Boot {
			shown.BootOrder = 1
		}
		add(volume, shown)
	}
	first, err := m.firstStart()
	if err == nil && first != nil {
		add(*first, guestDisk{})
	}
	return err
}

// volume returns what a disk of one of count machines has, and adds the claim of a persistent one.
func (m *machine) volume(path string, d disk, name string, count int) (v guestVolume, err error) {
	v.Name = d.Name
	switch d.Type {
	case "persistent":
		size, err := amount(path, d.Size)
		if err != nil {
			return v, err
		}
		claim := declared.Claim(declared.Join(declared.MaxName, name, d.Name), declared.Merge(m.known.Claims.Kept, m.known.Claims.Deleted), size, d.StorageClass)
		m.out.add(claim)
		v.Claim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}
	case "existing":
		if count > 1 {
			return v, declared.Faultf(declared.CodeConflict, path, "is one disk for several machines")
		}
		v.Claim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: d.Claim}
	case "ephemeral":
		size, err := amount(path, d.Size)
		if err != nil {
			return v, err
		}
		v.Empty = &emptyDisk{size.String()}
	case "config", "secret":
		object, err := m.known.Source(path+".source", d.Type, d.Source, new([]string))
		if v.Config = &object; d.Type == "secret" {
			v.Config, v.Secret = nil, &corev1.SecretVolumeSource{SecretName: object.Name}
		}
		return v, err
	default:
		return v, declared.Faultf(declared.CodeUnreadable, path+".type", "%q is not a type of disk", d.Type)
	}
	return v, nil
}

// amount reads the size of a disk.
func amount(path, size string) (resource.Quantity, error) {
	bytes, err := model.ParseMemory(size)
	if err != nil || bytes == 0 {
		return resource.Quantity{}, declared.Faultf(declared.CodeUnreadable, path+".size", "a disk has a size such as 20Gi")
	}
	return declared.Quantity("memory", bytes), nil
}

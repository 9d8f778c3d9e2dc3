package component

import (
	"fmt"
	"slices"

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

// attached returns the volumes and the disks of one of count machines: the one that it boots from, the others,
// and what cloud-init reads.
func (m *machine) attached(name string, count int) (volumes, disks []any, err error) {
	add := func(of, serial string, boots bool, source map[string]any) {
		source["name"] = of
		shown := declared.Given(map[string]any{"name": of, "serial": serial, "disk": map[string]any{"bus": "virtio"}})
		if boots {
			shown["bootOrder"] = int64(1)
		}
		volumes, disks = append(volumes, source), append(disks, shown)
	}
	boots := slices.ContainsFunc(m.Disks, func(d disk) bool { return d.Name == m.Boot && (d.Type == "persistent" || d.Type == "existing") })
	switch {
	case (m.Image == "") == (m.Boot == ""):
		return nil, nil, declared.Faultf(declared.CodeConflict, "properties", "boots from an image or from a disk: write either image or boot")
	case m.Boot != "" && !boots:
		return nil, nil, declared.Faultf(declared.CodeReference, "properties.boot", "names %s, which is no persistent or existing disk among properties.disks", m.Boot)
	case m.Image != "":
		add("image", "", true, map[string]any{"containerDisk": map[string]any{"image": m.Image}})
	}
	for i, disk := range m.Disks {
		path := fmt.Sprintf("properties.disks.%d", i)
		if slices.ContainsFunc(volumes, func(v any) bool { return v.(map[string]any)["name"] == disk.Name }) || disk.Name == "cloudinit" {
			return nil, nil, declared.Faultf(declared.CodeConflict, path+".name", "is the name of another disk of the machine")
		}
		source, err := m.source(path, disk, name, count)
		if err != nil {
			return nil, nil, err
		}
		add(disk.Name, disk.Name, disk.Name == m.Boot, source) // the guest finds it by its serial
	}
	first, err := m.firstStart()
	if err == nil && first != nil {
		add("cloudinit", "", false, first)
	}
	return volumes, disks, err
}

// source returns what a disk of one of count machines has, and adds the claim of a persistent one. Nothing here reaches
// the node: KubeVirt's hostDisk and devices of the host are not among it.
func (m *machine) source(path string, d disk, name string, count int) (map[string]any, error) {
	claim := d.Claim
	switch d.Type {
	case "persistent", "ephemeral":
		size, err := amount(path, d.Size)
		if err != nil {
			return nil, err
		}
		if d.Type == "ephemeral" {
			return map[string]any{"emptyDisk": map[string]any{"capacity": size.String()}}, nil
		}
		made := declared.Claim(declared.Join(declared.MaxName, name, d.Name), declared.Merge(m.known.Claims.Kept, m.known.Claims.Deleted), size, d.StorageClass)
		m.out.add(made)
		claim = made.Name
	case "existing":
		if count > 1 {
			return nil, declared.Faultf(declared.CodeConflict, path, "is one disk for several machines")
		}
	case "config":
		object, err := m.known.Source(path+".source", d.Type, d.Source, new([]string))
		return map[string]any{"configMap": map[string]any{"name": object.Name}}, err
	case "secret":
		object, err := m.known.Source(path+".source", d.Type, d.Source, new([]string))
		return map[string]any{"secret": map[string]any{"secretName": object.Name}}, err
	default:
		return nil, declared.Faultf(declared.CodeUnreadable, path+".type", "%q is not a type of disk", d.Type)
	}
	return map[string]any{"persistentVolumeClaim": map[string]any{"claimName": claim}}, nil
}

// amount reads the size of a disk.
func amount(path, size string) (resource.Quantity, error) {
	bytes, err := model.ParseMemory(size)
	if err != nil || bytes == 0 {
		return resource.Quantity{}, declared.Faultf(declared.CodeUnreadable, path+".size", "a disk has a size such as 20Gi")
	}
	return declared.Quantity("memory", bytes), nil
}

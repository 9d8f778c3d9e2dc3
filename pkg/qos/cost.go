package qos

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// DiskCost is what accesses to a disk cost, by which iocost (io.cost.model) divides it by weights.
type DiskCost struct {
	Disk  string // device number
	Model string // what it can do in a second, in the kernel's words and order
}

// costFigures are those of a linear model: bytes and accesses in a second, of reads and of writes.
var costFigures = []string{"rbps", "rseqiops", "rrandiops", "wbps", "wseqiops", "wrandiops"}

var deviceNumber = regexp.MustCompile(`^[0-9]{1,4}:[0-9]{1,7}$`)

// ParseDiskCost reads a device number and the six figures of its model, as tools/cgroup/iocost_coef_gen.py
// of Linux prints them.
func ParseDiskCost(text string) (c DiskCost, err error) {
	fields := strings.Fields(text)
	if len(fields) == 0 || !deviceNumber.MatchString(fields[0]) {
		return c, fmt.Errorf("%.60q does not begin with the number of a disk, such as 8:0", text)
	}
	c.Disk = fields[0]
	figures := map[string]string{}
	for _, field := range fields[1:] {
		name, value, _ := strings.Cut(field, "=")
		n, err := strconv.ParseUint(value, 10, 53)
		if !slices.Contains(costFigures, name) || err != nil || n == 0 || figures[name] != "" {
			return c, fmt.Errorf("%.60q of disk %s: want each of %s once, with a whole number above 0", field, c.Disk, strings.Join(costFigures, ", "))
		}
		figures[name] = strconv.FormatUint(n, 10)
	}
	for _, name := range costFigures {
		if figures[name] == "" {
			return c, fmt.Errorf("disk %s has no %s: want each of %s", c.Disk, name, strings.Join(costFigures, ", "))
		}
		c.Model += " " + name + "=" + figures[name]
	}
	c.Model = c.Model[1:]
	return c, nil
}

// costs switches iocost on for the disks whose costs are known. Between min and max nothing is left to it, because the
// kernel then takes the model as it is, and slows nobody down by what it measures itself.
func (r *decision) costs() {
	if len(r.Host.DiskCosts) == 0 || r.Host.Controllers["io"] != V2 || slices.Contains(r.Host.Lacks, "io.cost.qos") {
		return
	}
	var models, on []string
	for _, c := range r.Host.DiskCosts {
		models = append(models, c.Disk+" ctrl=user model=linear "+c.Model)
		on = append(on, c.Disk+" enable=1 ctrl=user rpct=0.00 rlat=0 wpct=0.00 wlat=0 min=100.00 max=100.00")
	}
	r.out.Settings = append(r.out.Settings,
		Setting{File: "io.cost.model", Value: Normal("io.cost.model", strings.Join(models, "\n"))},
		Setting{File: "io.cost.qos", Value: Normal("io.cost.qos", strings.Join(on, "\n"))})
}

// chosen returns a line of io.cost.qos or io.cost.model as far as somebody chose it, without the figures that the kernel takes by
// itself, and "" where nobody chose anything.
func chosen(line string) string {
	if !strings.Contains(line+" ", " ctrl=auto ") {
		return line
	}
	if !strings.Contains(line, " enable=1 ") {
		return ""
	}
	disk, _, _ := strings.Cut(line, " ")
	return disk + " enable=1 ctrl=auto"
}

// Beside returns a normal value with the lines of another one for the devices that it does not name: the files of the root
// have lines that others wrote.
func Beside(file, value, other string) string {
	all := lines(value)
	for _, line := range lines(other) {
		disk, _, _ := strings.Cut(line, " ")
		if !slices.ContainsFunc(all, func(l string) bool { return strings.HasPrefix(l, disk+" ") }) {
			all = append(all, line)
		}
	}
	return Normal(file, strings.Join(all, "\n"))
}

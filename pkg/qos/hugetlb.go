package qos

import (
	"strconv"

	"github.com/d-aros/d-aros/pkg/model"
)

// hugePagesController bounds the huge pages of a workload, so that the pool is there for those who need it.
var hugePagesController = Controller{name: "hugetlb", knobs: map[string]Knob{
	"hugetlb.2MB.max":            {Version: V2, Default: "max"},
	"hugetlb.1GB.max":            {Version: V2, Default: "max"},
	"hugetlb.2MB.limit_in_bytes": {Version: V1, Default: "-1"},
	"hugetlb.1GB.limit_in_bytes": {Version: V1, Default: "-1"},
}, decide: func(r *decision) {
	version := r.Host.Controllers["hugetlb"]
	for _, w := range r.Plan.Workloads {
		for _, pages := range []struct {
			size string
			page int64
			most model.Bytes
		}{{"2MB", 2 << 20, w.Profile.HugePages.Of2Mi}, {"1GB", 1 << 30, w.Profile.HugePages.Of1Gi}} {
			if pages.most == 0 {
				continue
			}
			file := "hugetlb." + pages.size + map[Version]string{V1: ".limit_in_bytes", V2: ".max"}[version]
			if version == Absent {
				r.degrade(w.Name, "hugepages."+pages.size, "none", "the hugetlb controller is not available")
				continue
			}
			r.set(w.Name, w.Cgroup, file, strconv.FormatInt(int64(pages.most)/pages.page*pages.page, 10))
		}
	}
}}

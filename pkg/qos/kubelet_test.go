package qos

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// Each file is the tree of a kubelet and the links that it makes to logs.
func TestContainers(t *testing.T) {
	files, err := filepath.Glob("testdata/kubelet/*.txtar")
	require.NoError(t, err)
	require.Len(t, files, 3)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			require.NoError(t, err)
			part := func(i int, name string) string {
				require.Equal(t, name, ar.Files[i].Name)
				return strings.TrimSpace(string(ar.Files[i].Data))
			}
			links := map[string]string{}
			for line := range strings.SplitSeq(part(2, "links"), "\n") {
				name, target, _ := strings.Cut(line, " ")
				links[name] = target
			}
			var got []string
			for _, c := range Containers(links, part(0, "kubepods"), strings.Fields(part(1, "groups"))) {
				require.NoError(t, checkCgroup(c.Cgroup))
				got = append(got, strings.Join([]string{c.Namespace, c.Pod, c.Name, c.Cgroup}, " "))
			}
			require.Equal(t, part(3, "containers"), strings.Join(got, "\n"))
		})
	}
}

// Whatever stands in a directory of logs, a container is only found in the group of its pod.
func FuzzContainers(f *testing.F) {
	uid, id := "0f8a3c1e-5b7d-4e2a-9c61-3d2b1a0f9e8d", strings.Repeat("1", 64)
	f.Add("shop-db-0_acme_db-"+id+".log", "/var/log/pods/acme_shop-db-0_"+uid+"/db/0.log", "burstable/pod"+uid+"/"+id)
	f.Add("a_b_c-"+id+".log", "/x/b_a_../c/0.log", "pod../"+id)
	f.Fuzz(func(t *testing.T, name, target, group string) {
		for _, c := range Containers(map[string]string{name: target}, "kubepods", []string{group}) {
			require.Equal(t, "kubepods/"+group, c.Cgroup)
			require.Contains(t, strings.ReplaceAll(group, "_", "-"), c.UID)
			require.Contains(t, target, "/"+c.Namespace+"_"+c.Pod+"_"+c.UID+"/"+c.Name+"/")
		}
	})
}

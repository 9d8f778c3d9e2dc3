package carrier

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/d-aros/d-aros/pkg/model"
)

func TestWhatNoAdapterCarriesIsNamedWithWhatTheyCarry(t *testing.T) {
	for _, c := range []model.Component{
		{Type: "worker", Runtime: "container", OS: "linux"}, {Type: "worker", Runtime: "container", OS: "windows"},
		{Type: "config", Runtime: "process", OS: "linux"}, {Type: "worker"},
	} {
		require.NoError(t, Check(&c, All), "%+v", c)
	}
	host := Carrier{Name: "host", Carried: []Kind{{"process", "linux"}}, Types: []string{"worker"}}
	process := model.Component{Type: "worker", Runtime: "process", OS: "linux"}
	require.EqualError(t, Check(&process, []Carrier{Kubernetes}),
		"no runtime adapter carries a worker of process on linux; kubernetes carries container on linux, container on windows")
	require.NoError(t, Check(&process, []Carrier{Kubernetes, host}))
	daemon := model.Component{Type: "daemon", Runtime: "process", OS: "linux"}
	require.Error(t, Check(&daemon, []Carrier{Kubernetes, host}))
	process.OS = "windows"
	require.EqualError(t, Check(&process, []Carrier{Kubernetes, host}),
		"no runtime adapter carries a worker of process on windows; kubernetes carries container on linux, container on windows; host carries process on linux (worker)")
}

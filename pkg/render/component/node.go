package component

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"

	"github.com/d-aros/d-aros/pkg/model"
	"github.com/d-aros/d-aros/pkg/render/declared"
)

// nodeAccounts are the accounts of a Windows node that processes may run as, by what owners write.
var nodeAccounts = map[string]string{
	"system": `NT AUTHORITY\SYSTEM`, "local-service": `NT AUTHORITY\Local service`, "network-service": `NT AUTHORITY\NetworkService`,
}

// onNode says in the pod what it has of its node beyond a container: a runtime class, or that it is a process of a Windows
// node. Policy allows each. Labels that only D-AROS sets tell the API server so.
func (p *pod) onNode(c container) error {
	spec, policy := &p.template.Spec, p.App.Spec.Policy
	if class := c.RuntimeClass; class != "" {
		if !model.Matches(policy.RuntimeClasses, class) {
			return declared.Against("policy.runtimeClasses", declared.CodeClass, "properties.runtimeClass", "names runtime class %s, and policy allows %s (runtimeClasses)", class, declared.List(policy.RuntimeClasses))
		}
		spec.RuntimeClassName, p.out.class = &class, class
		p.template.Labels = declared.Merge(p.template.Labels, map[string]string{LabelRuntimeClass: class})
	}
	if c.HostProcess == "" {
		return nil
	}
	account, known := nodeAccounts[c.HostProcess]
	switch {
	case !known:
		return declared.Faultf(declared.CodeUnreadable, "properties.hostProcess", "%q is no account of a node", c.HostProcess)
	case p.Spec.OS != "windows":
		return declared.Faultf(declared.CodeConflict, "properties.hostProcess", "is a process of a Windows node, and the component runs on %s", cmp.Or(p.Spec.OS, "linux"))
	case !policy.HostProcess:
		return declared.Against("policy.hostProcess", declared.CodeHost, "properties.hostProcess", "is a process of its Windows node, and policy does not allow those (hostProcess)")
	case p.App.Standard == model.PodSecurityRestricted:
		return declared.Faultf(declared.CodeStandard, "properties.hostProcess", "is a process of its Windows node, and the Pod Security Standard of the tenant is restricted")
	}
	spec.SecurityContext = cmp.Or(spec.SecurityContext, &corev1.PodSecurityContext{})
	spec.SecurityContext.WindowsOptions = &corev1.WindowsSecurityContextOptions{HostProcess: new(true), RunAsUserName: &account}
	spec.HostNetwork, p.out.host = true, true // Kubernetes has no HostProcess without it
	p.template.Labels = declared.Merge(p.template.Labels, map[string]string{LabelHostProcess: "true"})
	return nil
}

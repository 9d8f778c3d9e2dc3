package main

import (
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// writeKubeconfigs writes kubeconfig/NAME for every identity that is a client. Each holds all it needs and may be
// copied elsewhere.
func writeKubeconfigs(d *directory, server string) error {
	for _, id := range identities {
		if id.server {
			continue
		}
		content, err := kubeconfig(d.path("pki"), id.name, server)
		if err != nil {
			return fmt.Errorf("write kubeconfig of %s: %w", id.name, err)
		}
		if err := replaceFile(d.path("kubeconfig", id.name), content); err != nil {
			return fmt.Errorf("write kubeconfig of %s: %w", id.name, err)
		}
	}
	return nil
}

func kubeconfig(pki, name, server string) ([]byte, error) {
	ca, err := os.ReadFile(filepath.Join(pki, "ca.crt"))
	if err != nil {
		return nil, err
	}
	cert, err := os.ReadFile(filepath.Join(pki, name+".crt"))
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(filepath.Join(pki, name+".key"))
	if err != nil {
		return nil, err
	}
	const context = "devcluster"
	config := clientcmdapi.NewConfig()
	config.Clusters[context] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	config.Contexts[context] = &clientcmdapi.Context{Cluster: context, AuthInfo: name}
	config.CurrentContext = context
	return clientcmd.Write(*config)
}

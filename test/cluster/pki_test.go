package main

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/tools/clientcmd"
)

func TestPKI(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	// What an interrupted run left behind counts for nothing.
	require.NoError(t, os.MkdirAll(dir+".tmp", 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir+".tmp", "sa.pub"), nil, 0o600))
	require.NoError(t, ensurePKI(dir))
	require.NoDirExists(t, dir+".tmp")

	server := leaf(t, dir, "apiserver")
	_, err := server.Verify(x509.VerifyOptions{Roots: roots(t, dir), DNSName: "127.0.0.1"})
	require.NoError(t, err)
	client := x509.VerifyOptions{Roots: roots(t, dir), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}
	for _, id := range identities {
		cert := leaf(t, dir, id.name)
		require.Equal(t, id.cn, cert.Subject.CommonName)
		require.Equal(t, id.orgs, cert.Subject.Organization)
		_, err := cert.Verify(client)
		require.NoError(t, err, id.name)
	}

	proxy := leaf(t, filepath.Join(dir, "front-proxy"), "client")
	_, err = proxy.Verify(client)
	require.Error(t, err, "the front proxy has an authority of its own")
	_, err = proxy.Verify(x509.VerifyOptions{Roots: roots(t, filepath.Join(dir, "front-proxy")), KeyUsages: client.KeyUsages})
	require.NoError(t, err)

	require.NoError(t, filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
		require.NoError(t, err)
		require.Zero(t, info.Mode().Perm()&0o077, name)
		return nil
	}))

	require.NoError(t, ensurePKI(dir))
	require.Equal(t, server.Raw, leaf(t, dir, "apiserver").Raw, "a complete set is used again")
}

func TestKubeconfigIsSelfContained(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pki")
	require.NoError(t, ensurePKI(dir))
	content, err := kubeconfig(dir, "admin", "https://127.0.0.1:1")
	require.NoError(t, err)
	require.NoError(t, os.RemoveAll(dir))
	config, err := clientcmd.RESTConfigFromKubeConfig(content)
	require.NoError(t, err)
	require.Equal(t, "https://127.0.0.1:1", config.Host)
	_, err = tls.X509KeyPair(config.CertData, config.KeyData)
	require.NoError(t, err)
}

func leaf(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
	require.NoError(t, err)
	return pair.Leaf
}

func roots(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	ca, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	require.NoError(t, err)
	require.True(t, pool.AppendCertsFromPEM(ca))
	return pool
}

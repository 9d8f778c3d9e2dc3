package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// identities are the certificates of a cluster. Those with an organization system:masters may do everything.
var identities = []struct {
	name   string // of the files
	cn     string
	orgs   []string
	server bool
}{
	{name: "apiserver", cn: "kube-apiserver", server: true},
	{name: "admin", cn: "devcluster-admin", orgs: []string{"system:masters"}},
	{name: controllerManager, cn: "system:kube-controller-manager"},
	{name: scheduler, cn: "system:kube-scheduler"},
	{name: kwok, cn: "kwok-admin", orgs: []string{"system:masters"}},
}

// ensurePKI makes all keys and certificates of a cluster in dir, or leaves a complete set as it is.
// They are made next to dir and renamed into place, so a set that exists is complete.
func ensurePKI(dir string) error {
	if _, err := os.Stat(dir); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	unfinished := dir + ".tmp"
	if err := os.RemoveAll(unfinished); err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	if err := makePKI(unfinished); err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	if err := os.Rename(unfinished, dir); err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	return nil
}

func makePKI(dir string) error {
	ca, err := newAuthority(dir, "devcluster-ca")
	if err != nil {
		return err
	}
	for _, id := range identities {
		if err := ca.issue(id.name, id.cn, id.orgs, id.server); err != nil {
			return err
		}
	}
	if err := makeServiceAccountKey(dir); err != nil {
		return err
	}
	// Aggregated APIs and the delegated authentication of the other components trust this authority to name any
	// user at all; it must not be the one that signs ordinary client certificates.
	frontProxy, err := newAuthority(filepath.Join(dir, "front-proxy"), "devcluster-front-proxy-ca")
	if err != nil {
		return err
	}
	return frontProxy.issue("client", "front-proxy-client", nil, false)
}

// An authority issues certificates into its directory. All keys are ECDSA P-256.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(dir, cn string) (*authority, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template, err := certificate(cn, nil)
	if err != nil {
		return nil, err
	}
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	template.BasicConstraintsValid, template.IsCA = true, true
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{dir: dir, cert: cert, key: key}, writePair(dir, "ca", der, key)
}

// issue writes NAME.crt and NAME.key.
func (a *authority) issue(name, cn string, orgs []string, server bool) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template, err := certificate(cn, orgs)
	if err != nil {
		return err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if server {
		template.ExtKeyUsage = append(template.ExtKeyUsage, x509.ExtKeyUsageServerAuth)
		template.DNSNames = []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local"}
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, key.Public(), a.key)
	if err != nil {
		return err
	}
	return writePair(a.dir, name, der, key)
}

func certificate(cn string, orgs []string) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: cn, Organization: orgs},
		NotBefore:    now.Add(-time.Hour), // clocks of containers and virtual machines jump
		NotAfter:     now.AddDate(10, 0, 0),
	}, nil
}

// makeServiceAccountKey writes sa.key, which signs the tokens of service accounts, and sa.pub, which verifies them.
func makeServiceAccountKey(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	return errors.Join(
		writeKey(filepath.Join(dir, "sa.key"), key),
		writePEM(filepath.Join(dir, "sa.pub"), "PUBLIC KEY", der))
}

func writePair(dir, name string, der []byte, key *ecdsa.PrivateKey) error {
	return errors.Join(
		writePEM(filepath.Join(dir, name+".crt"), "CERTIFICATE", der),
		writeKey(filepath.Join(dir, name+".key"), key))
}

func writeKey(name string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return writePEM(name, "EC PRIVATE KEY", der)
}

func writePEM(name, kind string, der []byte) error {
	return os.WriteFile(name, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}

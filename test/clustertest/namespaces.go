package clustertest

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// cleanupLimit ends the cleaning up after a test, whose own context has ended by then.
const cleanupLimit = 30 * time.Second

// Prefix returns a name that no other test has, fit to begin the names of namespaces: at most 22 characters of a DNS
// label, without a dash at the end. After the test, namespaces named PREFIX or PREFIX-anything are deleted; nobody
// waits for their end.
func (c *Cluster) Prefix(t testing.TB) string {
	t.Helper()
	prefix := prefixFor(t.Name())
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), cleanupLimit)
		defer cancel()
		namespaces, err := c.Clientset.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			t.Errorf("clean up namespaces of %s: %v", prefix, err)
			return
		}
		for _, n := range namespaces.Items {
			if n.Name != prefix && !strings.HasPrefix(n.Name, prefix+"-") {
				continue
			}
			err := c.Clientset.CoreV1().Namespaces().Delete(ctx, n.Name, metav1.DeleteOptions{})
			if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
				t.Errorf("clean up namespace %s: %v", n.Name, err)
			}
		}
	})
	return prefix
}

// Namespace creates a namespace for the test and returns its name. It is deleted after the test.
func (c *Cluster) Namespace(t testing.TB) string {
	t.Helper()
	name := c.Prefix(t)
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := c.Clientset.CoreV1().Namespaces().Create(t.Context(), namespace, metav1.CreateOptions{}); err != nil {
		t.Fatalf("create namespace %s: %v", name, err)
	}
	return name
}

// prefixFor keeps the last words of a test's name, which tell it from its siblings, and adds chance.
func prefixFor(test string) string {
	const words, chance = 15, 6
	var name strings.Builder
	for _, r := range strings.ToLower(strings.TrimPrefix(test, "Test")) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			name.WriteRune(r)
		case name.Len() > 0:
			name.WriteByte('-')
		}
	}
	text := name.String()
	text = strings.Trim(text[max(0, len(text)-words):], "-")
	if text == "" || text[0] <= '9' {
		text = "t" + text[min(1, len(text)):]
	}
	return text + "-" + strings.ToLower(rand.Text()[:chance])
}

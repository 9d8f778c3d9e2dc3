package manifest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a node pulls for a short name is compared, and nothing else passes for it.
func TestShortNamesOfImages(t *testing.T) {
	for image, allowed := range map[string]bool{
		"redis": true, "redis:7": true, "redis@sha256:0123456789012345678901234567890123456789012345678901234567890123": true,
		"library/redis": true, "docker.io/redis": true, "docker.io/library/redis:7": true, "index.docker.io/redis": true,
		"ghcr.io/acme/shop:1": true, "ghcr.io/acme/team/shop": true,
		"evil/redis": false, "docker.io/evil/redis": false, "docker.io/library-evil/redis": false, "docker.io/library": true, "library": true,
		"ghcr.io/redis": false, "localhost/redis": false, "docker.io:443/library/redis": false, "ghcr.io/acme-evil/shop": false,
		"ghcr.io/acme/../evil/shop": false, "Redis": false, "": false, "redis:": false, "http://docker.io/library/redis": false,
		"library/redis/../../evil": false, "docker.io//library/redis": false, "acme.ghcr.io/acme/shop": false,
	} {
		require.Equal(t, allowed, allowedImage(image, []string{"ghcr.io/acme", "docker.io/library"}), image)
	}
	require.False(t, allowedImage("redis", []string{"redis", "library", "ghcr.io"}))
	require.True(t, allowedImage("evil/redis", []string{"docker.io"}))
}

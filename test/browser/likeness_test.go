package browser

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "keep how the pages look and what they say to those who listen as it is now")

const (
	scale   = 8  // edge of the square of a screenshot that is one pixel of what is kept: fonts differ a little between machines
	tone    = 24 // of 255, which a pixel may be lighter or darker
	differs = 5  // per cent of the pixels that may differ by more
)

// sameLikeness holds the pages to what they were: equal to those who listen, and nearly equal to those who look. Where that is meant to change, -update
// keeps it anew.
func sameLikeness(t *testing.T, out string) {
	t.Helper()
	heard, err := filepath.Glob(filepath.Join(out, "*.yml"))
	require.NoError(t, err)
	seen, err := filepath.Glob(filepath.Join(out, "*.png"))
	require.NoError(t, err)
	require.Len(t, seen, 2*len(heard), "light and dark")
	kept, err := filepath.Glob("testdata/screens/*.yml")
	require.NoError(t, err)
	if !*update {
		require.Len(t, heard, len(kept))
	}
	for _, file := range append(heard, seen...) {
		name := filepath.Join("testdata", "screens", filepath.Base(file))
		now := []byte(read(t, out, filepath.Base(file)))
		if strings.HasSuffix(name, ".png") {
			now = small(t, now)
		}
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, now, 0o644))
			continue
		}
		before, err := os.ReadFile(name)
		require.NoError(t, err, "go test ./test/browser -run TestJourneys/axe -update keeps it")
		if strings.HasSuffix(name, ".png") {
			require.LessOrEqual(t, difference(t, before, now), float64(differs), "per cent of %s differ; bin/screens has what it looks like", name)
		} else {
			require.Equal(t, string(before), string(now), name)
		}
	}
}

// small returns a picture in tones of grey, a pixel for a square of it.
func small(t *testing.T, text []byte) []byte {
	full, err := png.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	size := full.Bounds().Size()
	made := image.NewGray(image.Rect(0, 0, size.X/scale, size.Y/scale))
	for y := range size.Y / scale {
		for x := range size.X / scale {
			sum := 0
			for i := range scale * scale {
				sum += int(color.GrayModel.Convert(full.At(x*scale+i%scale, y*scale+i/scale)).(color.Gray).Y)
			}
			made.SetGray(x, y, color.Gray{Y: uint8(sum / (scale * scale))})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, made))
	return b.Bytes()
}

// difference returns how many per cent of the pixels of two pictures differ. What only one of them has does.
func difference(t *testing.T, before, now []byte) float64 {
	a, err := png.Decode(bytes.NewReader(before))
	require.NoError(t, err)
	b, err := png.Decode(bytes.NewReader(now))
	require.NoError(t, err)
	whole := a.Bounds().Union(b.Bounds())
	n := 0
	for y := range whole.Max.Y {
		for x := range whole.Max.X {
			p := image.Pt(x, y)
			if !p.In(a.Bounds()) || !p.In(b.Bounds()) {
				n++
				continue
			}
			d := int(color.GrayModel.Convert(a.At(x, y)).(color.Gray).Y) - int(color.GrayModel.Convert(b.At(x, y)).(color.Gray).Y)
			if d > tone || -d > tone {
				n++
			}
		}
	}
	return 100 * float64(n) / float64(whole.Dx()*whole.Dy())
}

// TestDifference: a page that is a little longer is nearly the same, one in other colours is not.
func TestDifference(t *testing.T) {
	page := func(height int, paper uint8) []byte {
		p := image.NewGray(image.Rect(0, 0, 100*scale, height*scale))
		for i := range p.Pix {
			p.Pix[i] = paper
		}
		var b bytes.Buffer
		require.NoError(t, png.Encode(&b, p))
		return small(t, b.Bytes())
	}
	require.Zero(t, difference(t, page(100, 250), page(100, 240)))
	require.InDelta(t, 2, difference(t, page(98, 250), page(100, 250)), 0.01)
	require.InDelta(t, 100, difference(t, page(100, 250), page(100, 20)), 0.01)
}

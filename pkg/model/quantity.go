package model

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// ParseCPU reads an amount of CPU in milli-CPU: "500m", "2" or "0.5". Finer
// fractions than a milli-CPU round up.
func ParseCPU(s string) (int64, error) {
	if digits, milli := strings.CutSuffix(s, "m"); milli {
		return parseScaled(s, digits, 1)
	}
	return parseScaled(s, s, 1000)
}

// units of memory, longest suffix first.
var units = []struct {
	suffix string
	factor int64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40}, {"Pi", 1 << 50},
	{"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"P", 1e15}, {"", 1},
}

// ParseMemory reads an amount of memory in bytes: "256Mi", "2Gi", "1.5G" or a
// plain number of bytes. Fractions of a byte round up.
func ParseMemory(s string) (int64, error) {
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.suffix); ok {
			return parseScaled(s, digits, u.factor)
		}
	}
	panic("unreachable: every string ends in the empty suffix")
}

// NetworkResource names what can be sent in a second, in bits: on a node it is promised like
// a device that can be divided.
const NetworkResource = "network"

// DiskResource names what can be read and written in a second, in bytes, on each disk of a node.
const DiskResource = "disk"

// ParseBitrate reads an amount of bits in a second: "100M", "1.5G" or a plain number.
func ParseBitrate(s string) (int64, error) {
	for _, u := range units {
		if digits, ok := strings.CutSuffix(s, u.suffix); ok && !strings.HasSuffix(u.suffix, "i") {
			return parseScaled(s, digits, u.factor)
		}
	}
	panic("unreachable: every string ends in the empty suffix")
}

// Bitrate is an amount of bits in a second, which people write like "100M". Programs write
// numbers.
type Bitrate int64

// UnmarshalJSON reads a number, or a text that [ParseBitrate] reads.
func (b *Bitrate) UnmarshalJSON(data []byte) error {
	var n int64
	text, err := strconv.Unquote(string(data))
	if err == nil {
		n, err = ParseBitrate(text)
	} else {
		n, err = strconv.ParseInt(string(data), 10, 64)
	}
	*b = Bitrate(n)
	return err
}

// FormatBitrate writes bits in a second in the largest unit that keeps the number whole.
func FormatBitrate(n int64) string { return FormatAmount(NetworkResource, n) }

// Bytes is an amount that people write as they write amounts of memory. Programs write numbers.
type Bytes int64

// UnmarshalText reads what [ParseMemory] reads.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := ParseMemory(string(text))
	*b = Bytes(n)
	return err
}

// UnmarshalJSON reads a number, or a text that [ParseMemory] reads.
func (b *Bytes) UnmarshalJSON(data []byte) error {
	if text, err := strconv.Unquote(string(data)); err == nil {
		return b.UnmarshalText([]byte(text))
	}
	n, err := strconv.ParseInt(string(data), 10, 64)
	*b = Bytes(n)
	return err
}

// parseScaled reads a plain decimal number and multiplies it exactly.
func parseScaled(whole, digits string, factor int64) (int64, error) {
	if digits == "" || len(digits) > 24 || strings.Trim(digits, "0123456789.") != "" {
		return 0, fmt.Errorf("%q is not an amount", whole)
	}
	r, ok := new(big.Rat).SetString(digits)
	if !ok {
		return 0, fmt.Errorf("%q is not an amount", whole)
	}
	r.Mul(r, new(big.Rat).SetInt64(factor))
	n := new(big.Int).Add(r.Num(), new(big.Int).Sub(r.Denom(), big.NewInt(1)))
	n.Quo(n, r.Denom())
	if !n.IsInt64() || n.Int64() > math.MaxInt64/1000 {
		return 0, fmt.Errorf("%q is too large an amount", whole)
	}
	return n.Int64(), nil
}

// FormatCPU writes milli-CPU: whole cores without a unit, else with m.
func FormatCPU(milli int64) string { return FormatAmount("cpu", milli) }

// Prints what the real implementations make of texts: the API machinery's quantities, the reference grammar of registries, the
// durations and times of Go, the host names of Go's TLS. One text a line in (as JSON), one row of a YAML list a line out:
// the text and its value, or null for a text that is refused.
//
//	go run . generate | go run . quantity > ../quantities_drawn.yaml
package main

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math/rand"
	"net"
	"os"
	"strings"
	"time"

	"github.com/distribution/reference"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/version"
)

var answers = map[string]func(string) (any, error){
	"quantity":  quantity,
	"reference": imageReference,
	"duration":  duration,
	"time":      moment,
	"host":      host,
	"version":   numbers,
}

func main() {
	if len(os.Args) == 2 && os.Args[1] == "generate" {
		generate(500)
		return
	}
	if len(os.Args) != 2 || answers[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: oracle generate|quantity|reference|duration|time|host|version")
		os.Exit(2)
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var text string
		if err := json.Unmarshal(lines.Bytes(), &text); err != nil {
			panic(err)
		}
		value, err := answers[os.Args[1]](text)
		if err != nil {
			value = nil
		}
		row := asJSON([]any{text, value})
		fmt.Printf("- %s\n", row)
	}
}

func asJSON(value any) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return strings.NewReplacer(`","`, `", "`, `",n`, `", n`, `",t`, `", t`, `",f`, `", f`, `",[`, `", [`).Replace(strings.TrimSpace(buffer.String()))
}

// quantity gives the exact decimal number.
func quantity(text string) (any, error) {
	parsed, err := resource.ParseQuantity(text)
	if err != nil {
		return nil, err
	}
	return parsed.AsDec().String(), nil
}

// imageReference gives registry, repository, tag and digest, with Docker's defaults for registry and folder put in.
func imageReference(text string) (any, error) {
	named, err := reference.ParseDockerRef(text)
	if err != nil {
		return nil, err
	}
	whole, err := reference.ParseNormalizedNamed(text) // ParseDockerRef drops the tag beside a digest
	if err != nil {
		return nil, err
	}
	tag, digest := "", ""
	if tagged, ok := whole.(reference.Tagged); ok {
		tag = tagged.Tag()
	}
	if digested, ok := whole.(reference.Digested); ok {
		digest = digested.Digest().String()
	}
	return []string{reference.Domain(named), reference.Path(named), tag, digest}, nil
}

// duration gives nanoseconds.
func duration(text string) (any, error) {
	span, err := time.ParseDuration(text)
	return span.Nanoseconds(), err
}

// moment gives seconds and nanoseconds since 1970.
func moment(text string) (any, error) {
	when, err := time.Parse(time.RFC3339Nano, text)
	return []int64{when.Unix(), int64(when.Nanosecond())}, err
}

// numbers gives the numbers of a version, whatever follows them.
func numbers(text string) (any, error) {
	parsed, err := version.ParseGeneric(text)
	if err != nil {
		return nil, err
	}
	parts := []string{}
	for _, part := range parsed.Components() {
		parts = append(parts, fmt.Sprint(part))
	}
	return strings.Join(parts, "."), nil
}

// host gives whether a certificate with the name before the blank is valid for the host behind it.
func host(text string) (any, error) {
	name, wanted, _ := strings.Cut(text, " ")
	certificate := x509.Certificate{}
	if ip := net.ParseIP(name); ip != nil {
		certificate.IPAddresses = []net.IP{ip}
	} else {
		certificate.DNSNames = []string{name}
	}
	return certificate.VerifyHostname(wanted) == nil, nil
}

var suffixes = strings.Split(" n u m k M G T P E Ki Mi Gi Ti Pi Ei n u m k M G T P E Ki Mi Gi Ti Pi Ei K i ki GB Mib", " ")

// generate prints texts that are quantities, or nearly.
func generate(count int) {
	draw := rand.New(rand.NewSource(4))
	for range count {
		text := []string{"", "", "", "-", "+", " "}[draw.Intn(6)*draw.Intn(9)%6] + digits(draw, 1+draw.Intn(1+draw.Intn(21)))
		if draw.Intn(2) == 0 {
			text += "." + digits(draw, draw.Intn(14))
		}
		if draw.Intn(4) == 0 {
			text += []string{"e", "E"}[draw.Intn(2)] + []string{"", "-", "+"}[draw.Intn(3)] + digits(draw, draw.Intn(3))
		} else {
			text += suffixes[draw.Intn(len(suffixes))]
		}
		fmt.Println(asJSON(text))
	}
}

func digits(draw *rand.Rand, count int) string {
	text := make([]byte, count)
	for place := range text {
		text[place] = byte('0' + draw.Intn(10))
	}
	return string(text)
}

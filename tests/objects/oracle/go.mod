// The real implementations that the tables of this folder were made with.
module oracle

go 1.25.0

require (
	github.com/distribution/reference v0.6.0
	k8s.io/apimachinery v0.35.4
)

require (
	github.com/fxamacker/cbor/v2 v2.9.0 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/x448/float16 v0.8.4 // indirect
	gopkg.in/inf.v0 v0.9.1 // indirect
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730 // indirect
)

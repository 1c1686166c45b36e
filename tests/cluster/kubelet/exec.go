package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	remotecommandconsts "k8s.io/apimachinery/pkg/util/remotecommand"
	clientremotecommand "k8s.io/client-go/tools/remotecommand"
	"k8s.io/kubelet/pkg/cri/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

const (
	idleTimeout    = 4 * time.Hour // as the kubelet has it
	creationWait   = 30 * time.Second
	missingProgram = `OCI runtime exec failed: exec failed: unable to start container process: ` +
		`exec: %q: executable file not found in $PATH: unknown`
)

// folder holds what the pods of the cluster answer; it is read again at each request.
type folder string

// answer is one entry of exec.json: what the container says to exactly this argv.
type answer struct {
	Argv         []string `json:"argv"`
	Stdout       string   `json:"stdout"`
	StdoutFile   string   `json:"stdout_file"` // relative to the folder of exec.json, or absolute
	Stderr       string   `json:"stderr"`
	ExitCode     int      `json:"exit_code"`
	DelaySeconds float64  `json:"delay_seconds"`
	Error        string   `json:"error"` // the runtime's own failure (containerd's way), not an exit code
}

// serveExec answers /exec over SPDY or WebSocket, whichever the API server asks for.
func (dir folder) serveExec(w http.ResponseWriter, req *http.Request) {
	options, err := remotecommand.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	place := filepath.Join(string(dir), req.PathValue("namespace"), req.PathValue("pod"), req.PathValue("container"))
	remotecommand.ServeExec(w, req, container(place), req.PathValue("pod"), "", req.PathValue("container"),
		req.URL.Query()["command"], options, idleTimeout, creationWait, remotecommandconsts.SupportedStreamingProtocols)
}

// container is the folder of one container's answers.
type container string

// ExecInContainer implements remotecommand.Executor.
func (c container) ExecInContainer(ctx context.Context, _ string, _ types.UID, _ string, argv []string, in io.Reader,
	stdout, stderr io.WriteCloser, _ bool, _ <-chan clientremotecommand.TerminalSize, _ time.Duration) error {
	if in != nil {
		go io.Copy(io.Discard, in)
	}
	found, err := c.find(argv)
	if err != nil {
		return err
	}
	select {
	case <-time.After(time.Duration(found.DelaySeconds * float64(time.Second))):
	case <-ctx.Done():
		return ctx.Err()
	}
	return c.say(found, stdout, stderr)
}

func (c container) find(argv []string) (answer, error) {
	text, err := os.ReadFile(filepath.Join(string(c), "exec.json"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return answer{}, err
	}
	var answers []answer
	if err == nil {
		if err := json.Unmarshal(text, &answers); err != nil {
			return answer{}, fmt.Errorf("%s/exec.json: %w", c, err)
		}
	}
	for _, one := range answers {
		if slices.Equal(one.Argv, argv) {
			return one, nil
		}
	}
	return answer{Stderr: fmt.Sprintf(missingProgram+"\r\n", argv[0]), ExitCode: 126}, nil
}

func (c container) say(found answer, stdout, stderr io.Writer) error {
	text := []byte(found.Stdout)
	if found.StdoutFile != "" {
		path := found.StdoutFile
		if !filepath.IsAbs(path) {
			path = filepath.Join(string(c), path)
		}
		var err error
		if text, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		to   io.Writer
		text []byte
	}{{stdout, text}, {stderr, []byte(found.Stderr)}} {
		if part.to != nil && len(part.text) > 0 {
			if _, err := part.to.Write(part.text); err != nil {
				return err
			}
		}
	}
	if found.Error != "" {
		return errors.New(found.Error)
	}
	if found.ExitCode != 0 {
		return utilexec.CodeExitError{Err: fmt.Errorf("exit status %d", found.ExitCode), Code: found.ExitCode}
	}
	return nil
}

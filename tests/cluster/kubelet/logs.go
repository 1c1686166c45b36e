package main

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// A line of a log file may begin with its time (RFC 3339, one space). A line without one is as old as this.
var undated = time.Unix(0, 0).UTC()

// serveLogs answers /containerLogs: <container>.log, or <container>.previous.log with ?previous=true.
// <container>.log.error holds the kubelet's refusal instead (a container that waits to start has no log).
func (dir folder) serveLogs(w http.ResponseWriter, req *http.Request) {
	pod, name, query := req.PathValue("pod"), req.PathValue("container"), req.URL.Query()
	base := filepath.Join(string(dir), req.PathValue("namespace"), pod, name)
	if refusal, err := os.ReadFile(base + ".log.error"); err == nil {
		http.Error(w, string(bytes.TrimSpace(refusal)), http.StatusBadRequest)
		return
	}
	path := base + ".log"
	if query.Get("previous") == "true" {
		path = base + ".previous.log"
	}
	text, err := os.ReadFile(path)
	if os.IsNotExist(err) && query.Get("previous") == "true" {
		// the words of the kubelet (pkg/kubelet/kubelet_pods.go, validateContainerLogStatus, 1.35)
		http.Error(w, fmt.Sprintf("previous terminated container %q in pod %q not found", name, pod), http.StatusBadRequest)
		return
	} else if err != nil && !os.IsNotExist(err) {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	chosen, err := choose(text, query, time.Now())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.Write(chosen)
}

// choose applies the options of a log request in the kubelet's order: since, tail, timestamps, limit.
func choose(text []byte, query url.Values, now time.Time) ([]byte, error) {
	since, err := sinceOf(query, now)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		at, message := splitTime(line)
		if len(line) == 0 || at.Before(since) {
			continue
		}
		if query.Get("timestamps") == "true" {
			message = append([]byte(at.Format(time.RFC3339Nano)+" "), message...)
		}
		lines = append(lines, message)
	}
	if tail, given, err := number(query, "tailLines"); err != nil {
		return nil, err
	} else if given && tail < len(lines) {
		lines = lines[len(lines)-tail:]
	}
	chosen := bytes.Join(lines, nil)
	if limit, given, err := number(query, "limitBytes"); err != nil {
		return nil, err
	} else if given && limit < len(chosen) {
		chosen = chosen[:limit]
	}
	return chosen, nil
}

func sinceOf(query url.Values, now time.Time) (time.Time, error) {
	if text := query.Get("sinceTime"); text != "" {
		return time.Parse(time.RFC3339, text)
	}
	seconds, given, err := number(query, "sinceSeconds")
	if err != nil || !given {
		return time.Time{}, err
	}
	return now.Add(-time.Duration(seconds) * time.Second), nil
}

func splitTime(line []byte) (time.Time, []byte) {
	first, rest, found := bytes.Cut(line, []byte(" "))
	if at, err := time.Parse(time.RFC3339Nano, string(first)); found && err == nil {
		return at, rest
	}
	return undated, line
}

func number(query url.Values, name string) (value int, given bool, err error) {
	text := query.Get(name)
	if text == "" {
		return 0, false, nil
	}
	value, err = strconv.Atoi(text)
	if err == nil && value < 0 {
		err = fmt.Errorf("%s must not be negative", name)
	}
	return value, true, err
}

// The fake kubelet of the test cluster: it answers exec and containerLogs, as the kubelet does
// towards the API server, with what it finds in a folder. It starts no program.
//
//	fake-kubelet --dir FOLDER --cert FILE --key FILE
//
// It listens on a free port of 127.0.0.1 and prints the port as its first line.
package main

import (
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
)

func main() {
	dir := flag.String("dir", "", "folder with <namespace>/<pod>/<container>/exec.json and <namespace>/<pod>/<container>.log")
	cert := flag.String("cert", "", "serving certificate, PEM")
	key := flag.String("key", "", "its private key, PEM")
	flag.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	answers := folder(*dir)
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", answers.serveExec)
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", answers.serveLogs)
	log.Fatal(http.ServeTLS(listener, mux, *cert, *key))
}

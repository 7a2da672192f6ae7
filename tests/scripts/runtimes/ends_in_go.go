// SPDX-License-Identifier: MIT
package main

// #include <ends.h>
import "C"

import (
	"os"
	"time"
)

func main() {
	how := os.Args[1]
	C.ends_open()
	C.ends_by(C.CString(how))
	switch how {
	case "raise":
		panic("nobody catches this")
	case "exit":
		os.Exit(3)
	case "return", "close":
		return
	}
	time.Sleep(20 * time.Second)
}

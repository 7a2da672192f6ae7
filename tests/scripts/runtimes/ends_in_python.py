# SPDX-License-Identifier: MIT
import ctypes, os, sys, time

how = sys.argv[1]
ends = ctypes.CDLL(os.environ["ENDS"])
ends.ends_open()
ends.ends_by(how.encode())
if how == "raise":
    raise ValueError("nobody catches this")
if how == "exit":
    sys.exit(3)
if how != "close":
    time.sleep(20)

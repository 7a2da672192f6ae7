# SPDX-License-Identifier: MIT
require "fiddle"

how = ARGV[0]
ends = Fiddle.dlopen(ENV["ENDS"])
Fiddle::Function.new(ends["ends_open"], [], Fiddle::TYPE_VOID).call
Fiddle::Function.new(ends["ends_by"], [Fiddle::TYPE_VOIDP], Fiddle::TYPE_VOID).call(how)
raise "nobody catches this" if how == "raise"
exit 3 if how == "exit"
sleep 20 if how != "close"

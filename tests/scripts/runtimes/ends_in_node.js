// SPDX-License-Identifier: MIT
const how = process.argv[2];
require(process.env.ADDON)(how);
if (how === "raise")
    throw new Error("nobody catches this");
if (how === "exit")
    process.exit(3);
if (how !== "close")
    setTimeout(() => {}, 20000);

# SPDX-License-Identifier: MIT
# find_package(Torch) for tests/with/libtorch: there is a header and no library.
set(Torch_FOUND TRUE)
add_library(torch INTERFACE)
target_include_directories(torch INTERFACE "${CMAKE_CURRENT_LIST_DIR}")
set(TORCH_LIBRARIES torch)

# SPDX-License-Identifier: MIT
tests_check_SOURCES += \
    %D%/test_gpu.c \
    %D%/test_machines.c \
    %D%/test_memory.c \
    %D%/test_monitors.c \
    %D%/values.c %D%/values.h
tests_check_LDADD += monitors/system/libsystem.la monitors/rapl/libzones.la monitors/gpu/libgpu.la
EXTRA_DIST += \
    tests/golden/resources/nvml/expected.json \
    tests/golden/resources/nvml/fake_nvml.c \
    tests/golden/resources/nvml/two_devices.txt \
    tests/golden/resources/nvml/visible.json

# NVIDIA's library with made-up devices. Loaded before, it is the one of its name.
EXTRA_tests_check_DEPENDENCIES = tests/monitors/libnvidia-ml.so.1
CLEANFILES    += tests/monitors/libnvidia-ml.so.1
tests/monitors/libnvidia-ml.so.1: $(srcdir)/tests/golden/resources/nvml/fake_nvml.c
	$(AM_V_CC)$(MKDIR_P) tests/monitors && \
	    $(CC) $(SANITIZER_FLAGS) -g -O1 -shared -fPIC -Wl,-soname,libnvidia-ml.so.1 -o $@ $(srcdir)/tests/golden/resources/nvml/fake_nvml.c -pthread

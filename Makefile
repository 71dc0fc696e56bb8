# The commands of this project; `make help` lists them. CMake does the work: presets in
# CMakePresets.json, rooms in cmake/rooms.cmake.
#
# Everything runs as root, through sudo, or, where no package is missing, as any user. Nothing touches
# the network once the packages are there.
#
# JOBS=N sets how much runs at once (default: all cores). CUDA=OFF leaves the GPU out, CUDA=ON insists
# on it (default: AUTO, where a CUDA compiler is found).
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
CUDA ?= AUTO
BUILD := build/release
NINJA := ninja -j$(JOBS)
CTEST := ctest --output-on-failure --no-tests=error -j$(JOBS)

# ccache only where it can write: a user without a home directory builds all the same.
CCACHE_OK := $(shell d="$${CCACHE_DIR:-$${XDG_CACHE_HOME:-$$HOME/.cache}/ccache}"; \
                     mkdir -p "$$d" 2>/dev/null && [ -w "$$d" ] && echo yes)
ifneq ($(CCACHE_OK),yes)
export CCACHE_DISABLE := 1
endif

# After sudo, the files of a checkout that belongs to a user belong to that user.
GIVE_BACK = if [ -n "$$SUDO_UID" ] && [ "$$(stat -c %u .)" = "$$SUDO_UID" ]; then \
                chown -R "$$SUDO_UID:$$SUDO_GID" build; fi

.DEFAULT_GOAL := help
.PHONY: help build test demo check format bench clean packages
.NOTPARALLEL:

help:  ## this list
	@echo "Saker: an inference server for Qwen3-VL. Targets:"
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

build: packages  ## install what is missing, build build/release/saker
	@tools/step --quiet configure "configuring $(BUILD)" \
	    cmake --preset release -DSAKER_CUDA=$(CUDA)
	@tools/step build "building $(BUILD) with $(JOBS) jobs" $(NINJA) -C $(BUILD)
	@$(GIVE_BACK)

test: build  ## build, then run every quick test, hostile input under sanitizers included
	@tools/step --quiet configure-asan "configuring build/asan" cmake --preset asan
	@tools/step build-asan "building the suites of build/asan" $(NINJA) -C build/asan suites
	@tools/step --quiet test-asan "running suites under AddressSanitizer" \
	    $(CTEST) --test-dir build/asan -L sanitized
	@tools/step --quiet configure-tsan "configuring build/tsan" cmake --preset tsan
	@tools/step build-tsan "building the suites of build/tsan" $(NINJA) -C build/tsan suites
	@tools/step --quiet test-tsan "running suites under ThreadSanitizer" \
	    $(CTEST) --test-dir build/tsan -L sanitized
	@$(GIVE_BACK)
	@$(CTEST) --test-dir $(BUILD) -LE long </dev/null

demo: build  ## build, then ask a small model about a picture
	@tools/demo
	@$(GIVE_BACK)

check:  ## fast: formatting and layout, no build
	@tools/check_format
	@tools/check_house

format: packages  ## format every C++ and CUDA file
	@tools/check_format --fix

bench: build  ## build, then run the benchmarks
	@$(BUILD)/saker_bench

clean:  ## remove build/
	rm -rf build

packages:
	@tools/install_packages

# SPDX-License-Identifier: Apache-2.0
# A short front door; Meson does the work. `make help` lists the targets.

BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= lib
FUZZ_SECONDS ?= 60
ifneq ($(origin CC),default)
export CC
endif
SHELL = /bin/sh
MAKEFLAGS += --no-print-directory

.PHONY: all everything deps demo test check check-asan check-ubsan check-tsan fuzz install format clean help

all: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD) product

# The tests, too: their emulated kernels alone take a minute to compile.
everything: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD)

deps:
	@tools/deps

# The folder is set up again when CC changes; what was fetched into it stays.
$(BUILD)/build.ninja: $(BUILD)/compiler
	@meson setup $(BUILD) $(if $(wildcard $@),--reconfigure) >$(BUILD)/setup.log 2>&1 || { cat $(BUILD)/setup.log; exit 1; }
	@touch $@

.PHONY: $(if $(filter-out $(shell cat $(BUILD)/compiler 2>/dev/null),$(or $(filter-out cc,$(CC)),default)),$(BUILD)/compiler)
$(BUILD)/compiler: | deps
	@mkdir -p $(BUILD)
	@find $(BUILD) -mindepth 1 -maxdepth 1 ! -name venv ! -name zoo ! -name models -exec rm -rf {} +
	@echo '$(or $(filter-out cc,$(CC)),default)' >$@

demo: all
	@sh examples/demo.sh

test: everything
	@tools/deps venv
	@tests/run-all --build $(BUILD)

check: everything
	@tests/run-all --build $(BUILD) --quick --only lint,unit,kernels,passes,opcheck,fuzz

# $(call sanitized,NAME,b_sanitize,C flags): a build folder of its own, the unit tests and the quick model tests in it
define sanitized
@test -e build-$(1)/build.ninja || meson setup build-$(1) -Db_sanitize=$(2) -Db_lundef=false -Doptimization=1 \
    -Dc_args='-fno-omit-frame-pointer $(3)' >/dev/null
@ninja -C build-$(1)
@tools/deps venv
@tests/run-all --build build-$(1) --quick
endef

check-asan: deps
	$(call sanitized,asan,address,)

check-ubsan: deps
	$(call sanitized,ubsan,undefined,-fno-sanitize-recover=all)

check-tsan: deps
	$(call sanitized,tsan,thread,)

fuzz:
	@tools/deps fuzz
	@tools/fuzz $(FUZZ_SECONDS)

install: all
	@meson configure $(BUILD) -Dprefix=$(abspath $(PREFIX)) -Dlibdir=$(LIBDIR)
	@ninja -C $(BUILD) >/dev/null # takes up the new prefix
	@meson install -C $(BUILD) --quiet --no-rebuild

format:
	@tools/lint-format --fix

clean:
	@rm -rf $(BUILD) build-asan build-ubsan build-tsan build-fuzz

help:
	@echo 'make                  build the library and the command into $(BUILD)/ (CC chooses the compiler)'
	@echo 'make demo             run a real model on a real picture'
	@echo 'make test             all tests; fetches their oracles into build/venv on first use'
	@echo 'make check            the fast loop: build, lints, unit and operator tests'
	@echo 'make check-asan       tests under AddressSanitizer; also check-ubsan, check-tsan'
	@echo 'make fuzz             run each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS) (clang)'
	@echo 'make install          install below PREFIX=$(PREFIX); DESTDIR is respected'
	@echo 'make format           format the C files (clang-format 14)'
	@echo 'make clean            remove the build folders'

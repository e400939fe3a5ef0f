#!/usr/bin/env bash
# Builds the page and the npm package, and tests both: the package in Node, Bun, Deno and bundles, the page in headless Chromium.
#
#   bindings/web/test.sh
#
# It installs what is missing: Chromium, the npm packages of the lock file, and what bindings/web/build.sh needs.
# TRUST8_WEB_LARGE is the size of the large file in MiB (default: 256). CARGO_TARGET_DIR is as for bindings/web/build.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

if ! command -v chromium >/dev/null; then
    apt-get install --yes --no-install-recommends chromium || { apt-get update && apt-get install --yes --no-install-recommends chromium; }
fi
(cd test && npm ci --no-audit --no-fund)
export TRUST8_BUNDLERS=$PWD/npm/test/bundlers
(cd "$TRUST8_BUNDLERS" && npm install --no-audit --no-fund --no-package-lock)
./build.sh
# The command, whose verdicts the package must give. TRUST8_COMMAND is one that is built already.
if [ -z "${TRUST8_COMMAND-}" ]; then
    command_target=${CARGO_TARGET_DIR:-target}/command
    cargo build --quiet --locked --manifest-path ../../Cargo.toml --package trust8-cli --target-dir "$command_target"
    TRUST8_COMMAND=$(realpath "$command_target/debug/trust8")
fi
export TRUST8_COMMAND
types() {
    (cd test && npx tsc --noEmit --strict --target es2022 --module nodenext "$@" ../npm/index.d.ts ../npm/core.d.ts ../npm/index.d.cts)
}
types --lib es2022,dom
types --lib es2022 --types node
# Prints the result, and fails if fewer tests passed than there are.
run() {
    local log passed
    log=$(mktemp)
    timeout 900 node --test --test-reporter=tap "$1" | tee "$log"
    passed=$(sed -n 's/^# pass //p' "$log")
    rm "$log"
    [ "$passed" -ge "$2" ] || { echo "test.sh: only $passed tests of $1 passed, not $2" >&2; return 1; }
}
run npm/test/package.test.mjs 14
run npm/test/bundlers.test.mjs 16
run test/runs.test.mjs 4
run test/browser.test.mjs 44

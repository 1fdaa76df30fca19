#!/bin/sh
# Plays every scenario beside this file to the client, for any CI that can run a shell. The exit code tells how it went:
# 0 fine, 20 an expectation failed, 22 a file is invalid, 23 the gateway could not start, 24 nothing moved any more;
# anything else is the client's own.
set -eu
cd "$(dirname "$0")"

npx greenroom check --no-drive *.yaml

npx greenroom run *.yaml \
  --report junit=greenroom.xml \
  --time-limit 10m \
  -- node client.js

#!/bin/sh
# A client of the gateway to copy, in a shell: submits, polls, downloads and verifies a video. To try it with each fault:
#   greenroom explore -- sh client.sh
set -u
url=$GREENROOM_URL
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
waited=0

fail() {
  echo "failed: $1" >&2
  exit 1
}

# Sleeps on the clock of the simulator, for ten minutes in all.
pause() {
  waited=$((waited + $1))
  [ $waited -le 600 ] || fail 'gave up after 600 s'
  curl -fsS "$url/_greenroom/clock/sleep" -d "{\"for\":\"$1s\"}" >"$dir/slept"
}

header() { sed -n "s/^$1: *//Ip" "$dir/head" | tail -1 | tr -d '\r"'; }

# The seconds of Retry-After, as a number or a date.
retry_after() {
  after=$(header retry-after)
  case $after in
    '') echo 0 ;;
    *[!0-9]*) echo $(($(date -d "$after" +%s) - $(date -d "$(header date)" +%s))) ;;
    *) echo "$after" ;;
  esac
}

# Sends a request until a check of its response passes. What was lost may be paid for, so a submission is only sent again
# after a refusal.
request() {
  check=$1; shift
  for delay in 2 4 8 16 0; do
    code=$(curl -sL --max-time 3 -D "$dir/head" -o "$dir/body" -w '%{http_code}' \
      -H "Authorization: Bearer $GREENROOM_KEY" -H 'Content-Type: application/json' "$@") && $check && return
    case $code in
      429 | 5??) after=$(retry_after) ;;
      4??) fail "the gateway returned $code" ;;
      *) after=0; [ "$check" != submitted ] || fail 'the submission got no answer that can be read' ;;
    esac
    [ $delay -gt 0 ] || fail "the gateway returned $code five times"
    pause $((after > delay ? after : delay))
  done
}

field() { grep -ao "\"$1\":\"[^\"]*\"" "$dir/body" | head -1 | cut -d'"' -f4; }
submitted() { [ "$code" = 200 ] && [ -n "$(field task_id)" ]; }
polled() { [ "$code" = 200 ] && [ -n "$(field status)" ]; }
downloaded() { [ "$code" = 200 ] && [ "$(header etag)" = "$(sha256sum <"$dir/body" | cut -d' ' -f1)" ]; }

request submitted "$url/v1/video/generations" -d '{"model":"video-1","prompt":"a red kite","duration":1,"size":"128x96"}'
id=$(field task_id)
while :; do
  pause 5
  request polled "$url/v1/video/generations/$id"
  case $(field status) in
    SUCCESS) break ;;
    FAILURE) fail "the task failed: $(field fail_reason)" ;;
  esac
done
request downloaded "$url/v1/videos/$id/content"
echo "a video of $(wc -c <"$dir/body") bytes"

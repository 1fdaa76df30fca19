import type { Sample } from '../define/api.ts'

/** A video in three lines of a shell. */
export const videoSamples: readonly Sample[] = [
  {
    client: 'curl',
    comment: 'Submit, poll, download: paste these lines into a shell.',
    lines: [
      "TASK=$(curl -fsS ${url}/v1/video/generations -H 'Authorization: Bearer ${key}' " +
        `-H 'Content-Type: application/json' -d '{"model":"video-1","prompt":"a paper boat in the rain"}' ` +
        `| sed -n 's/.*"task_id":"\\([^"]*\\)".*/\\1/p'); echo $TASK`,
      "until curl -s ${url}/v1/video/generations/$TASK -H 'Authorization: Bearer ${key}' " +
        `| tee /dev/stderr | grep -qE 'SUCCESS|FAILURE|error'; do sleep 5; done`,
      "curl -fL ${url}/v1/videos/$TASK/content -H 'Authorization: Bearer ${key}' -o clip.mp4",
    ],
  },
]

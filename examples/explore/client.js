// Your program, as small as it can be: makes one video and reports its size.
import { makeVideo } from './video.js'

const { GREENROOM_URL: baseUrl = 'http://127.0.0.1:4646', GREENROOM_KEY: key = 'sk-greenroom' } = process.env

/** Sleeps on the simulator's clock, which takes no real time. In production, use `setTimeout`. */
async function sleep(/** @type {number} */ ms) {
  const body = JSON.stringify({ for: `${ms}ms` })
  await fetch(`${baseUrl}/_greenroom/clock/sleep`, { method: 'POST', body })
}

const { bytes } = await makeVideo('a red kite', { baseUrl, key, sleep })
console.log(`downloaded ${bytes.length} bytes`)

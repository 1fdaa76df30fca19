// Your program, as small as it can be: makes one video and reports its size. It sleeps by `setTimeout`, as in production.
import { makeVideo } from './video.js'

const { GREENROOM_URL: baseUrl = 'http://127.0.0.1:4646', GREENROOM_KEY: key = 'sk-greenroom' } = process.env

const { bytes } = await makeVideo('a red kite', { baseUrl, key })
console.log(`downloaded ${bytes.length} bytes`)

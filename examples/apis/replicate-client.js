// Makes a video with Replicate's SDK: node replicate-client.js PROMPT
import Replicate from 'replicate'
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: auth } = process.env
// For an http address, the SDK returns the URL of a file instead of a FileOutput.
const replicate = new Replicate({ auth, baseUrl: `${url}/v1`, fetch: carefulFetch, useFileOutput: false })

const input = { prompt: process.argv[2] ?? 'a red kite', duration: 2 }
let prediction = await replicate.predictions.create({ model: 'minimax/video-01', input })
const wait = createWait()
// `replicate.wait` has no deadline.
while (prediction.status !== 'succeeded') {
  if (['failed', 'canceled'].includes(prediction.status))
    throw new Error(prediction.error ?? `the prediction ${prediction.status}`)
  await wait()
  prediction = await replicate.predictions.get(prediction.id)
}
const video = await downloadVideo(prediction.output)
console.log(`${video.length} bytes`)

// Makes a video with fal's SDK: node fal-client.js PROMPT
import { createFalClient } from '@fal-ai/client'
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

const { GREENROOM_URL: url, GREENROOM_KEY: credentials } = process.env
const { queue } = createFalClient({
  credentials,
  fetch: carefulFetch,
  requestMiddleware: async (request) => ({
    ...request,
    url: request.url.replace('https://queue.fal.run', url),
  }),
})

const model = 'fal-ai/kling-video/v2/master/text-to-video'
const input = { prompt: process.argv[2] ?? 'a red kite', duration: '5' }
const { request_id: requestId } = await queue.submit(model, { input })
const wait = createWait()
do await wait()
while ((await queue.status(model, { requestId })).status !== 'COMPLETED')
// Throws for a request that failed, which is COMPLETED, too.
const { data } = await queue.result(model, { requestId })
const video = await downloadVideo(data.video.url)
console.log(`${video.length} bytes`)

// Makes a video by Veo, with Google's SDK: node veo-client.js PROMPT
import { GoogleGenAI } from '@google/genai'
import { carefulFetch, createWait, downloadVideo } from './careful-fetch.js'

// The SDK takes no `fetch`.
globalThis.fetch = carefulFetch
const { GREENROOM_URL: baseUrl, GREENROOM_KEY: apiKey } = process.env
const ai = new GoogleGenAI({ apiKey, httpOptions: { baseUrl } })

const prompt = process.argv[2] ?? 'a red kite'
let operation = await ai.models.generateVideos({ model: 'veo-3.0-generate-001', source: { prompt } })
const wait = createWait()
while (!operation.done) {
  await wait()
  operation = await ai.operations.getVideosOperation({ operation })
}
if (operation.error) throw new Error(String(operation.error.message))
// `ai.files.download` takes an https address only.
const { uri } = operation.response.generatedVideos[0].video
const video = await downloadVideo(uri, { 'x-goog-api-key': apiKey })
console.log(`${video.length} bytes`)

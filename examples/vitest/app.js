import { createServer } from 'node:http'
import { makeVideo } from './video.js'

/** An application that makes a video for each POST, and responds with it. */
export const createApp = (options) =>
  createServer(async (request, response) => {
    if (request.method !== 'POST') return response.writeHead(405).end()
    const { bytes } = await makeVideo('a red kite', options)
    response.writeHead(201, { 'content-type': 'video/mp4' }).end(bytes)
  })

import assert from 'node:assert/strict'
import { checkTypes } from './exact-types.js'
import { apiKey, gatewayUrl } from './run-steps.js'

const operation = 'images.generate'
/** Few tokens, so that an image takes half a second. */
const small = { model: 'sim-image-1', prompt: 'a red fox', size: '256x256', quality: 'low' }
const inBase64 = { ...small, response_format: 'b64_json' }
/** The first bytes of each format. */
const signatures = { png: '89504e47', jpeg: 'ffd8ff', webp: '52494646' }

/**
 * The steps of images in the `openai` package, which are the same in each major version. The client has its default
 * settings: it repeats a request twice.
 * @param {any} OpenAI the class
 * @param {{ newerFields?: Record<string, string> }} [version] which fields that the gateway sends its types do not know yet
 */
export function makeOpenAiImageSteps(OpenAI, { newerFields } = {}) {
  const { images } = new OpenAI({ apiKey, baseURL: `${gatewayUrl}/v1` })
  const toFile = async (data) =>
    new File([Buffer.from(data.b64_json, 'base64')], 'fox.png', { type: 'image/png' })

  return {
    async images() {
      for (const [format, signature] of Object.entries(signatures)) {
        const { data, usage } = await images.generate({ ...inBase64, n: 2, output_format: format })
        assert.equal(data.length, 2)
        for (const { b64_json } of data)
          assert(Buffer.from(b64_json, 'base64').toString('hex').startsWith(signature))
        assert.equal(usage.total_tokens, usage.input_tokens + usage.output_tokens)
      }
    },
    async 'images by URL'() {
      const { data } = await images.generate(small)
      const file = await fetch(data[0].url)
      assert.equal(file.headers.get('content-type'), 'image/png')
      assert(
        Buffer.from(await file.arrayBuffer())
          .toString('hex')
          .startsWith(signatures.png),
      )
    },
    async 'changed images'() {
      const { data } = await images.generate(inBase64)
      const image = await toFile(data[0])
      const changed = await images.edit({ ...inBase64, prompt: 'a blue balloon', image })
      assert.notEqual(changed.data[0].b64_json, data[0].b64_json)
      const both = await images.edit({
        ...inBase64,
        prompt: 'a forest',
        image: [image, await toFile(changed.data[0])],
      })
      assert.equal(both.data.length, 1)
      const stream = await images.edit({ ...inBase64, prompt: 'a blue balloon', image, stream: true })
      for await (const event of stream) assert.equal(event.b64_json, changed.data[0].b64_json)
    },
    async 'streamed images'() {
      const { data } = await images.generate(inBase64)
      const events = []
      for await (const event of await images.generate({ ...inBase64, stream: true, partial_images: 2 }))
        events.push(event)
      assert.deepEqual(
        events.map(({ type }) => type.split('.')[1]),
        ['partial_image', 'partial_image', 'completed'],
      )
      assert.equal(events.at(-1).b64_json, data[0].b64_json)
    },
    async 'refused images'() {
      const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${gatewayUrl}/v1` })
      await assert.rejects(stranger.images.generate(small), OpenAI.AuthenticationError)
      const isBad = (param) => (error) => {
        assert(error instanceof OpenAI.BadRequestError)
        assert.equal(error.param, param)
        return true
      }
      await assert.rejects(images.generate({ ...small, size: '7x7' }), isBad('size'))
      await assert.rejects(images.edit({ ...small, image: new File(['no image'], 'a.png') }), isBad('image'))
      await assert.rejects(images.generate({ ...small, prompt: 'a fox [[fail: content policy]]' }), {
        status: 400,
        code: 'moderation_blocked',
      })
    },
    async 'images after 429'() {
      await next({ respond: { status: 429, retryAfter: '1s' } })
      await images.generate(small)
      assert.deepEqual(await lastStatuses(2), [429, 200])
      await assert.rejects(images.generate({ ...small, prompt: '[[error 429]]' }), OpenAI.RateLimitError)
      assert.deepEqual(await lastStatuses(3), [429, 429, 429])
    },
    async 'time-out of images'() {
      const slow = { ...small, prompt: 'a fox [[render 30s]]' }
      const pending = images.generate(slow, { timeout: 300, maxRetries: 0 })
      await assert.rejects(pending, OpenAI.APIConnectionTimeoutError)
    },
    async 'broken images'() {
      await assert.rejects(images.generate({ ...inBase64, prompt: 'a fox [[cut]]' }))
      const read = async (prompt) => {
        const stream = await images.generate({ ...inBase64, prompt, stream: true, partial_images: 2 })
        for await (const _ of stream);
      }
      await assert.rejects(read('a fox [[cut after 1]]'))
      await assert.rejects(read('a fox [[error 503 after 1]]'), OpenAI.APIError)
      await next({ fault: { type: 'truncate', at: '40%' } })
      await assert.rejects(images.generate(inBase64, { maxRetries: 0 }))
    },
    async 'types of images'() {
      checkTypes('images.ts', "import type OpenAI from 'openai'", await collectObjects(images), newerFields)
    },
  }
}

/** Every kind of object that the gateway sends, by its type. Images are cut off. */
async function collectObjects(images) {
  const request = { model: 'gpt-image-1', prompt: 'a red fox', quality: 'low' }
  const cut = { background: 'transparent', output_format: 'webp' }
  const responses = await Promise.all([
    images.generate(request),
    images.generate({ ...request, ...cut, size: '1536x1024' }),
    images.generate({ ...small, size: '1024x1024', n: 2 }),
    images.generate({ model: 'dall-e-3', prompt: 'a red fox' }),
  ])
  const image = new File([Buffer.from(responses[0].data[0].b64_json, 'base64')], 'fox.png', {
    type: 'image/png',
  })
  responses.push(await images.edit({ ...request, image }))
  const collect = async (stream) => {
    const events = []
    for await (const event of await stream) events.push(event)
    return events
  }
  const form = { stream: true, partial_images: 1 }
  const objects = {
    'OpenAI.Images.ImagesResponse': responses,
    'OpenAI.Images.ImageGenStreamEvent': await collect(images.generate({ ...request, ...form })),
    'OpenAI.Images.ImageEditStreamEvent': await collect(images.edit({ ...request, ...form, image })),
  }
  return JSON.parse(
    JSON.stringify(objects, (name, value) => (name === 'b64_json' ? value.slice(0, 20) : value)),
  )
}

/** Changes the next request. */
async function next(effect) {
  const body = JSON.stringify({ op: operation, ...effect })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${gatewayUrl}/_greenroom/next`, { method: 'POST', headers, body })
  assert(response.ok, await response.text())
}

/** The statuses of the newest requests, the oldest first. */
async function lastStatuses(count) {
  const response = await fetch(`${gatewayUrl}/_greenroom/journal?operation=${operation}&last=${count}`)
  return (await response.json()).map(({ status }) => status)
}

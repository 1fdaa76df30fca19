// Runs the same requests in a page and in Node, to compare the results. Plain JavaScript, since it runs in both.

/** @typedef {{ fetch: typeof fetch }} Gateway */

const headers = { authorization: 'Bearer sk-test', 'content-type': 'application/json' }

/**
 * @param {Gateway} gateway
 * @param {string} path
 * @param {object} [body] without one it is a GET.
 * @returns {Promise<Response>}
 */
export function ask({ fetch }, path, body) {
  return fetch(path, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers })
}

/**
 * Submits a video, waits until it ends and downloads it.
 * @param {Gateway} gateway
 * @param {object} body
 * @returns {Promise<Uint8Array>}
 */
export async function createVideo(gateway, body) {
  const { task_id: id } = await (await ask(gateway, '/v1/video/generations', body)).json()
  for (let polls = 0; polls < 100; polls += 1) {
    const { data } = await (await ask(gateway, `/v1/video/generations/${id}`)).json()
    if (data.status === 'SUCCESS') break
  }
  return bytesOf(await ask(gateway, `/v1/videos/${id}/content`))
}

/**
 * Submits a drawing task and waits until it ends.
 * @param {Gateway} gateway
 * @param {string} path below /mj/submit.
 * @param {object} body
 * @returns {Promise<any>} the task.
 */
export async function drawn(gateway, path, body) {
  const submitted = await (await ask(gateway, `/mj/submit/${path}`, body)).json()
  for (let polls = 0; polls < 100; polls += 1) {
    const task = await (await ask(gateway, `/mj/task/${submitted.result}/fetch`)).json()
    if (['SUCCESS', 'FAILURE', 'MODAL'].includes(task.status)) return task
  }
  throw new Error(`The drawing did not end: ${JSON.stringify(submitted)}`)
}

/**
 * Presses a button of a task.
 * @param {Gateway} gateway
 * @param {any} task
 * @param {string} name its label, emoji, or a part of its id.
 * @returns {Promise<any>} the new task.
 */
export function pressed(gateway, task, name) {
  const { customId } = task.buttons.find(
    (/** @type {any} */ { label, emoji, customId }) =>
      label === name || emoji === name || customId.includes(name),
  )
  return drawn(gateway, 'action', { taskId: task.id, customId })
}

/**
 * @param {Gateway} gateway
 * @param {any} task
 * @param {string} [query]
 */
export async function pictureOf(gateway, task, query = '') {
  return bytesOf(await ask(gateway, `/mj/image/${task.id}${query}`))
}

/**
 * Decodes a frame of the first second of a video, in a page, as RGBA.
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<number[]>}
 */
export async function frameOf(bytes) {
  const video = document.createElement('video')
  video.src = URL.createObjectURL(new Blob([bytes], { type: 'video/mp4' }))
  video.currentTime = 0.5
  await new Promise((resolve, reject) => {
    video.onseeked = resolve
    video.onerror = reject
  })
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (
    new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d')
  )
  context.drawImage(video, 0, 0)
  return [...context.getImageData(0, 0, video.videoWidth, video.videoHeight).data]
}

/** @param {Response} response */
export async function bytesOf(response) {
  if (!response.ok) throw new Error(`Answered ${response.status}: ${await response.text()}`)
  return new Uint8Array(await response.arrayBuffer())
}

/**
 * Sends the request of a golden exchange, after the steps that precede it.
 * @param {Gateway & { clock: { advance: (duration: string) => Promise<unknown> } }} gateway
 * @param {{ before?: (string | any)[], request: any }} golden
 */
export async function seenOf(gateway, { before = [], request }) {
  for (const step of before) {
    if (typeof step === 'string') await gateway.clock.advance(step)
    else await (await send(gateway, step)).arrayBuffer()
  }
  const response = await send(gateway, request)
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
}

/**
 * @param {Gateway} gateway
 * @param {{ method: string, path: string, headers?: Record<string, string>, body?: unknown }} call
 */
function send(gateway, { method, path, headers = {}, body }) {
  if (body === undefined) return gateway.fetch(path, { method, headers })
  if (typeof body === 'string') return gateway.fetch(path, { method, headers, body })
  const asJson = { 'content-type': 'application/json', ...headers }
  return gateway.fetch(path, { method, headers: asJson, body: JSON.stringify(body) })
}

/**
 * Makes or changes an image by the Images API.
 * @param {Gateway} gateway
 * @param {object} fields
 * @param {'generations' | 'edits'} [action]
 */
async function made(gateway, fields, action = 'generations') {
  const body = { model: 'sim-image-1', response_format: 'b64_json', size: '256x256', ...fields }
  const { data } = await (await ask(gateway, `/v1/images/${action}`, body)).json()
  return Uint8Array.from(atob(data[0].b64_json), (character) => character.charCodeAt(0))
}

/**
 * Every kind of image that a canvas must draw like sharp.
 * @type {Record<string, (gateway: Gateway, pictures: Record<string, string>) => Promise<Uint8Array>>}
 */
export const walks = {
  'a grid': async (gateway) =>
    pictureOf(gateway, await drawn(gateway, 'imagine', { prompt: 'a red fox --ar 3:2' })),
  'a thumbnail': async (gateway) =>
    pictureOf(gateway, await drawn(gateway, 'imagine', { prompt: 'a harbour at dusk' }), '?width=256'),
  'a zoom': async (gateway) => {
    const grid = await drawn(gateway, 'imagine', { prompt: 'a lighthouse' })
    return pictureOf(gateway, await pressed(gateway, await pressed(gateway, grid, 'U2'), 'Outpaint::50'))
  },
  'a blend of photos': async (gateway, { sea, rings }) =>
    pictureOf(gateway, await drawn(gateway, 'blend', { base64Array: [sea, rings] })),
  'a repainted region': async (gateway, { mask }) => {
    const grid = await drawn(gateway, 'imagine', { prompt: 'a man on a bench' })
    const dialog = await pressed(gateway, await pressed(gateway, grid, 'U1'), 'Inpaint')
    const answer = { taskId: dialog.id, prompt: 'a blue hat', maskBase64: mask }
    return pictureOf(gateway, await drawn(gateway, 'modal', answer))
  },
  'a JPEG': (gateway) =>
    made(gateway, { prompt: 'a red fox', output_format: 'jpeg', output_compression: 80 }),
  'a WebP': (gateway) =>
    made(gateway, { prompt: 'a red fox', output_format: 'webp', output_compression: 80 }),
  'a subject alone': (gateway) => made(gateway, { prompt: 'a red fox', background: 'transparent' }),
  'a place in an oval': (gateway) => made(gateway, { prompt: 'the sea', background: 'transparent' }),
  'what a mask leaves transparent': (gateway, { mask }) =>
    made(gateway, { prompt: 'a green dragon', image: mask, mask }, 'edits'),
}

import type { Api } from './define/api.ts'

export const handlers = 'To answer it yourself, add a handler: serve --handlers, or MSW in a test.'

/** Paths that other gateways of this kind, and the services behind them, have, and that no API of ours stands in for. */
export const otherApis: Pick<Api, 'instead' | 'unimplemented'> = {
  unimplemented: /^(?:(?:GET|POST|DELETE) \/v1\/files|(?:GET|POST) \/v1\/fine-tunes)(?:\/[^/]+){0,2}$/,
  instead: [
    [/^\/v1\/audio(?:\/|$)/, `Audio is not offered. ${handlers}`],
    [/^\/v1\/rerank\/?$/, `Reranking is not offered. ${handlers}`],
    [/^\/v1\/moderations\/?$/, `Moderations are not offered. ${handlers}`],
    [
      /^\/v1\/(?:files|uploads)(?:\/|$)/,
      `Files are not offered. Send images in the request, as data URLs or base64. ${handlers}`,
    ],
    [
      /^\/v1\/(?:batches|fine[-_]tun\w*|vector_stores|evals|containers)(?:\/|$)/,
      `This API is not offered. ${handlers}`,
    ],
    [
      /^\/(?:upload\/)?v1beta\/(?:files|cachedContents|batches)(?:\/|$)/,
      `Files and caches are not offered. Send images in the request, as inlineData. ${handlers}`,
    ],
    [
      /^\/(?:v1|v1beta|v1alpha)\/interactions(?:\/|$)/,
      `Interactions are not offered. Use generateContent. ${handlers}`,
    ],
    [
      /^\/v1(?:beta|alpha)\/auth_tokens(?:\/|$)/,
      `Tokens of sessions are not offered. Send the key. ${handlers}`,
    ],
    [
      /^\/v1(?:beta\d?)?\/(?:projects\/|publishers\/)/,
      `Paths of Vertex AI are not offered. Give the SDK an API key, and it uses those of generateContent. ${handlers}`,
    ],
    [
      /^\/v1\/video\/(?:create|query)\/?$/,
      `Other gateways have this path. Use POST /v1/video/generations (video.submit) and GET /v1/video/generations/{task_id} (video.poll). ${handlers}`,
    ],
    [/^\/mj\/account(?:\/|$)/, `Accounts of the drawing channel are not offered. ${handlers}`],
    [/^\/suno\//, `Music is not offered. ${handlers}`],
  ],
}

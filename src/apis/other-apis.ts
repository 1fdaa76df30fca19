import type { OtherApis } from '../gateway/exchange.ts'

const handlers = 'To answer it yourself, add a handler: serve --handlers, or MSW in a test.'
const videos = `Videos are made by POST /v1/video/generations (video.submit). ${handlers}`
const images = `Images are changed by POST /v1/images/edits (images.edit). ${handlers}`
const newImages = `Images are made by POST /v1/images/generations (images.generate). ${handlers}`
const texts = `Texts are written by POST /v1/chat/completions (chat.complete). ${handlers}`
const messages = `Messages are written by POST /v1/messages (messages.create). ${handlers}`
const videoPolls = `Videos are polled by GET /v1/video/generations/{task_id} (video.poll). ${handlers}`
const responses = `Pass previous_response_id to POST /v1/responses (responses.create). ${handlers}`
const plainResponses = `Responses are written by POST /v1/responses (responses.create). ${handlers}`
const embeddings = `Embeddings are made by POST /v1/embeddings (embeddings.create). ${handlers}`
const balance = `What a key may spend is GET /v1/dashboard/billing/subscription (balance.subscription). ${handlers}`
const prices = `Prices are listed by GET /api/pricing (models.prices). ${handlers}`

/** Paths that other gateways of this kind, and the services behind them, have. */
export const otherApis: OtherApis = [
  [/^\/v1\/images\/variations\/?$/, `Variations are not offered. ${images}`],
  [/^\/v1\/(?:completions|complete|edits)(?:\/|$)/, `This text API is not offered. ${texts}`],
  [/^\/v1\/messages\/batches(?:\/|$)/, `Batches are not offered. ${messages}`],
  [
    /^\/v1\/videos\/(?:edits|extensions|characters)(?:\/|$)/,
    `Edits, extensions and characters of videos are not offered. ${videos}`,
  ],
  [
    /^\/v1\/(?:conversations|assistants|threads)(?:\/|$)/,
    `Stored conversations are not offered. ${responses}`,
  ],
  [
    /^\/v1\/responses\/(?:[^/]+\/cancel|compact|input_tokens)$/,
    `Background responses, compaction and counting are not offered. ${plainResponses}`,
  ],
  [/^\/v1\/chat\/completions\/./, `Stored chat completions are not offered. ${texts}`],
  [/^\/v1\/engines\/[^/]+\/embeddings$/, `Engines are not offered. ${embeddings}`],
  [/^\/v1\/audio(?:\/|$)/, `Audio is not offered. ${handlers}`],
  [/^\/v1\/rerank\/?$/, `Reranking is not offered. ${handlers}`],
  [/^\/v1\/realtime(?:\/|$)/, `Realtime sessions are not offered. ${texts}`],
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
    /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)predictLongRunning$/i,
    `predictLongRunning is not offered. ${videos}`,
  ],
  [
    /^\/v1(?:beta)?\/models\/[^/]+(?::|%3A)(?:predict|generateImages?)$/i,
    `Image models are not offered here. ${newImages}`,
  ],
  [/^\/v1(?:beta)?\/(?:models\/[^/]+\/)?operations\/[^/]+$/, `Operations are not offered. ${videoPolls}`],
  [
    /^\/(?:kling|jimeng|vidu|runway\w*|luma|pika|minimax|hailuo)\//,
    `This video API is not offered. ${videos}`,
  ],
  [/^\/suno\//, `Music is not offered. ${handlers}`],
  [/^\/(?:v1\/)?dashboard\/billing\//, `Other bills are not offered. ${balance}`],
  [
    /^\/api\/(?:user|token|usage|status|log|task|mj|channel|group|option|data)(?:\/|$)/,
    `The gateway's administration is not offered. ${prices}`,
  ],
]

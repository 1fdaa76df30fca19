import type { Flow } from '../../scenario/vocabulary/types.ts'

/** The APIs that `greenroom init` offers. Each is also a flow of the reference client. */
export const firstApis = [
  'video',
  'openai-video',
  'drawing',
  'chat',
  'text',
] as const satisfies readonly Flow[]
export type FirstApi = (typeof firstApis)[number]

/** The client of a first test. Code between ‹ and › is for TypeScript only. */
interface FirstClient {
  readonly summary: string
  /** The usual variables by which clients of the API find the gateway. */
  readonly variables: Readonly<Record<string, string>>
  /** The title of the test. */
  readonly title: string
  /** The call of the client, and the field of the result that must be above 0. */
  readonly call: string
  readonly measure: string
  /** The function that is called, without `async`. */
  readonly code: string
}

const openAi = { OPENAI_BASE_URL: '${url}/v1', OPENAI_API_KEY: '${key}' }
const video = {
  title: 'makes a video although the gateway is busy at first',
  call: "makeVideo('a red kite')",
  measure: 'byteLength',
}
const answer = {
  title: 'gets an answer although the gateway is busy at first',
  call: "askQuestion('Why do kites fly?')",
  measure: 'length',
}

export const firstClients: Readonly<Record<FirstApi, FirstClient>> = {
  video: {
    ...video,
    summary: 'POST /v1/video/generations',
    variables: { GATEWAY_URL: '${url}', GATEWAY_KEY: '${key}' },
    code: `function makeVideo(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const body = { model: 'video-1', prompt }
  const { task_id: id } = await sendJson‹<{ task_id: string }>›('/v1/video/generations', body)
  for (;;) {
    await sleep(5_000)
    const { data } = await sendJson‹<{ data: { status: string; fail_reason: string } }>›(\`/v1/video/generations/\${id}\`)
    if (data.status === 'FAILURE') throw new Error(data.fail_reason)
    if (data.status === 'SUCCESS') break
  }
  return (await send(\`/v1/videos/\${id}/content\`)).arrayBuffer()
}`,
  },
  'openai-video': {
    ...video,
    summary: 'POST /v1/videos, as OpenAI',
    variables: openAi,
    code: `function makeVideo(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const { id } = await sendJson‹<{ id: string }>›('/v1/videos', { model: 'video-1', prompt })
  for (;;) {
    await sleep(5_000)
    const { status } = await sendJson‹<{ status: string }>›(\`/v1/videos/\${id}\`)
    if (status === 'failed') throw new Error(\`video \${id} failed\`)
    if (status === 'completed') break
  }
  return (await send(\`/v1/videos/\${id}/content\`)).arrayBuffer()
}`,
  },
  drawing: {
    summary: 'POST /mj/submit/imagine',
    variables: { MJ_SERVER: '${url}', MJ_API_SECRET: '${key}' },
    title: 'makes a drawing although the gateway is busy at first',
    call: "makeDrawing('a red kite')",
    measure: 'byteLength',
    code: `function makeDrawing(prompt‹: string›)‹: Promise<ArrayBuffer>› {
  const { result: id } = await sendJson‹<{ result: string }>›('/mj/submit/imagine', { prompt })
  for (;;) {
    await sleep(5_000)
    const task = await sendJson‹<{ status: string; failReason: string }>›(\`/mj/task/\${id}/fetch\`)
    if (task.status === 'FAILURE') throw new Error(task.failReason)
    if (task.status === 'SUCCESS') break
  }
  return (await send(\`/mj/image/\${id}\`)).arrayBuffer()
}`,
  },
  chat: {
    ...answer,
    summary: 'POST /v1/chat/completions, as OpenAI',
    variables: openAi,
    code: `function askQuestion(content‹: string›)‹: Promise<string>› {
  const body = { model: 'sim-text-1', messages: [{ role: 'user', content }] }
  const { choices } = await sendJson‹<{ choices: { message: { content: string } }[] }>›('/v1/chat/completions', body)
  return choices[0]‹!›.message.content
}`,
  },
  text: {
    ...answer,
    summary: 'POST …:generateContent, as Gemini',
    variables: { GOOGLE_GEMINI_BASE_URL: '${url}', GEMINI_API_KEY: '${key}' },
    code: `function askQuestion(text‹: string›)‹: Promise<string>› {
  const body = { contents: [{ role: 'user', parts: [{ text }] }] }
  const path = '/v1beta/models/sim-text-1:generateContent'
  const { candidates } = await sendJson‹<{ candidates: { content: { parts: { text: string }[] } }[] }>›(path, body)
  return candidates[0]‹!›.content.parts[0]‹!›.text
}`,
  },
}

import { answer, call, cancel, defineApi, download, list, poll, result, submit, z } from 'greenroom/api'
import type { Job, UploadedFile } from 'greenroom/api'

const toSeconds = (instant: number | undefined) => (instant === undefined ? null : Math.floor(instant / 1000))
const uploaded = ({ id, size, createdAt, name }: UploadedFile) => {
  const facts = { object: 'file', bytes: size, created_at: toSeconds(createdAt), filename: name }
  return { id, ...facts, purpose: 'batch', status: 'processed' }
}

const own = { isPublic: false, uploaded: (file: UploadedFile) => file }

const line = z.object({ custom_id: z.string(), url: z.string(), body: z.looseObject({ model: z.string() }) })
/** The file of examples, which every account has. */
const sample = `{ "custom_id": "1", "url": "/v1/responses", "body": { "model": "gpt-5-mini", "input": "Hi" } }`
const [endpoint, metadata] = ['/v1/responses', { description: 'a batch' }]
const sampleBatch = { input_file_id: 'sample', endpoint, completion_window: '24h', metadata } as const

function readLines(text: string) {
  try {
    const lines = text.trim().split('\n')
    return z.array(line).parse(lines.map((each): unknown => JSON.parse(each)))
  } catch {
    return []
  }
}

const toLines = (values: object[]) => values.map((value) => JSON.stringify(value)).join('\n')
const refused = (message: string) => ({ error: { message, type: 'invalid_request_error', param: null } })

/** A line of a result. A request with `[[fail: reason]]` gets an error. */
const outputLine = ({ custom_id, body }: z.output<typeof line>, index: number) => {
  const [, reason] = /\[\[fail: (.*?)\]\]/.exec(JSON.stringify(body)) ?? []
  const sent = reason === undefined ? { object: 'response', model: body.model } : refused(reason)
  const response = { status_code: reason === undefined ? 200 : 400, body: sent }
  return { id: `batch_req_${index}`, custom_id, response, error: null }
}

/** A batch, as https://platform.openai.com/docs/api-reference/batch describes it. */
const batch = (job: Job) => {
  const { failed, total, ...request } = job.input as { failed: number; total: number }
  const done = job.hasSucceeded ? total : Math.floor((total * job.progress) / 100)
  const data = [{ code: 'invalid_request', message: job.reason, line: null, param: null }]
  return {
    id: job.id,
    object: 'batch',
    ...request,
    status: job.status,
    errors: job.hasFailed ? { object: 'list', data } : null,
    output_file_id: job.hasSucceeded && failed < total ? job.alias('file', 0) : null,
    error_file_id: job.hasSucceeded && failed > 0 ? job.alias('file', 1) : null,
    created_at: toSeconds(job.submittedAt),
    in_progress_at: toSeconds(job.startedAt),
    expires_at: toSeconds(job.submittedAt + 86_400_000),
    ...(job.isDone && { [`${job.status}_at`]: toSeconds(job.endedAt) }),
    request_counts: { total, completed: Math.max(0, done - failed), failed: Math.min(failed, done) },
  }
}

export default defineApi({
  name: 'openai-batch',
  title: 'Batches of OpenAI',
  id: { prefix: 'batch_', length: 32, of: '0123456789abcdef' },
  uploads: { prefix: 'file-', length: 22 },
  aliases: { file: { prefix: 'file-', length: 22 } },
  makes: 'text',
  states: {
    queue: 'validating',
    work: ['in_progress', 'finalizing'],
    success: 'completed',
    failure: ['failed', 'expired'],
    cancelling: 'cancelling',
    cancelled: 'cancelled',
  },
  timing: { queued: '10s', render: { lognormal: { p50: '5m', p95: '10m' } }, cancelling: '20s' },
  refusals: { invalidBody: 400 },
  error: ({ message }) => refused(message),
  operations: {
    upload: call({
      route: 'POST /v1/files',
      body: z.object({ purpose: z.literal('batch'), file: z.string() }),
      example: { body: { purpose: 'batch', file: sample } },
      reply: ({ body, store }) => uploaded(store(body.file, { name: 'batch.jsonl' })),
    }),
    file: result({ route: 'GET /v1/files/{id}', uploaded, reply: ({ id }) => ({ id, object: 'file' }) }),
    content: download({ route: 'GET /v1/files/{id}/content', alias: 'file', ...own }),
    create: submit({
      route: 'POST /v1/batches',
      body: z.object({
        input_file_id: z.string(),
        endpoint: z.string().startsWith('/v1/'),
        completion_window: z.literal('24h'),
        metadata: z.record(z.string(), z.string()).nullish(),
      }),
      example: { body: sampleBatch },
      job: ({ body, file }) => {
        const text = body.input_file_id === 'sample' ? sample : file(body.input_file_id)?.text
        if (text === undefined) return answer(400, refused(`No such File: ${body.input_file_id}`))
        const requests = readLines(text).filter(({ url }) => url === body.endpoint)
        const output = requests.map(outputLine)
        const failed = output.filter(({ response }) => response.status_code !== 200)
        const files = [output.filter((each) => !failed.includes(each)), failed].map(toLines)
        return {
          model: requests[0]?.body.model ?? 'none',
          prompt: body.metadata?.['description'] ?? 'a batch',
          fails: requests.length === 0 ? `The file has no request to ${body.endpoint}` : undefined,
          files: files.map((text) => ({ makes: 'text', text, type: 'application/jsonl' })),
          input: { ...body, total: requests.length, failed: failed.length },
        }
      },
      reply: batch,
    }),
    get: poll({ route: 'GET /v1/batches/{id}', reply: batch }),
    cancel: cancel({ route: 'POST /v1/batches/{id}/cancel', reply: batch }),
    list: list({
      route: 'GET /v1/batches',
      page: ({ query }) => ({ limit: Number(query.get('limit') ?? 20), after: query.get('after') }),
      reply: (jobs, { next }) => ({ object: 'list', data: jobs.map(batch), has_more: next !== undefined }),
    }),
  },
})

import { answer, defineApi, download, kitFor, refusal, z, type Job } from '../../../src/apis/own/index.ts'

/** A made-up vendor with remixes, a list, deletion, thumbnails, redirects, and two envelopes of errors. */
const words = {
  states: { queue: 'accepted', work: 'shooting', success: 'cut', failure: 'scrapped', cancelled: 'stopped' },
  quirks: {
    studioDelivery: {
      values: ['stream', 'redirect'],
      description: 'Whether a download is the file, or a redirect to it.',
      profiles: { page: 'redirect' },
      variant: {
        id: 'redirected takes',
        operation: 'file',
        advice: 'A download may be a redirect: follow it.',
      },
    },
    studioStates: { values: ['plain', 'numbered'], description: 'Whether the queue has a number.' },
  },
} as const
const { submit, poll, cancel, remove, pages } = kitFor(words)

const voices = ['anna', 'ben']
const instant = (ms = 0) => new Date(ms).toISOString()

const take = (job: Job) => ({
  id: job.id,
  state: job.status,
  progress: job.progress,
  style: job.action,
  createdAt: instant(job.submittedAt),
  updatedAt: instant(job.changedAt),
  voice: job.input['voice'] ?? null,
  remixOf: job.parent,
  error: job.hasFailed ? { reason: job.reason } : undefined,
  files: job.hasSucceeded ? { video: job.url, poster: `${job.url}?still=thumbnail` } : undefined,
  cost: job.isDone ? job.quota : undefined,
})

export const studio = defineApi({
  name: 'studio',
  title: 'Studio',
  ...words,
  shows: (job, { studioStates }) =>
    job.isQueued && studioStates === 'numbered'
      ? { status: `accepted-${job.position + 1}`, progress: 0 }
      : undefined,
  id: { prefix: 'take_', length: 20 },
  idParameter: 'take',
  timing: { queued: '5s', render: '30s' },
  beginsAt: 10,
  defaults: { seconds: 6, size: '1920x1080' },
  sizesOf: (model) => (model === 'studio-lite' ? ['1280x720'] : undefined),
  contentType: 'application/vnd.studio+json',
  keys: { like: /^st_/, headers: ['x-studio-key'] },
  refusals: {
    invalidBody: { status: 400, code: 'bad_request' },
    invalidSize: { status: 409, code: 'bad_size' },
    unknownJob: { status: 404, code: 'no_take', message: 'There is no such take' },
    noResult: { status: 425, code: 'too_early', message: 'The take is {status}' },
    expired: { status: 410, code: 'gone' },
  },
  error: ({ status, code, message }, { operation, isGateways }) =>
    isGateways || operation === 'file'
      ? { status, title: message }
      : answer(status, { errors: [{ code, message }] }, { 'x-studio-error': code }),
  operations: {
    create: submit({
      route: 'POST /studio/takes',
      status: 201,
      body: z.object({
        model: z.string().default('studio-1'),
        text: z.string().min(1),
        voice: z.string().optional(),
        still: z.string().optional(),
        seconds: z.int().min(1).max(20).optional(),
        size: z.string().optional(),
      }),
      images: ({ still }) => ({ still }),
      reads: ({ body: { model = 'studio-1', text } }) => ({ model, prompt: text }),
      job: ({ body: { model, text, voice, still, seconds, size } }) =>
        voice !== undefined && !voices.includes(voice)
          ? refusal(`There is no voice ${voice}`, 'invalidBody', `Use ${voices.join(' or ')}.`)
          : { model, prompt: text, seconds, size, action: still ? 'animated' : 'written', input: { voice } },
      reply: (job) => answer(201, take(job), { location: `/studio/takes/${job.id}` }),
    }),
    remix: submit({
      route: 'POST /studio/takes/{take}/remixes',
      ofJob: true,
      body: z.object({ text: z.string().min(1) }),
      job: ({ body, parent }) => ({
        model: parent!.model,
        like: parent,
        prompt: body.text,
        action: 'remixed',
      }),
      reply: take,
    }),
    get: poll({ route: 'GET /studio/takes/{take}', interval: { min: '2s' }, reply: take }),
    list: pages({ route: 'GET /studio/takes', reply: take }),
    stop: cancel({
      route: 'POST /studio/takes/{take}/stop',
      reply: (job, { hasEnded }) => (hasEnded ? answer(409, take(job)) : take(job)),
    }),
    delete: remove({ route: 'DELETE /studio/takes/{take}', reply: () => answer(204) }),
    file: download({
      route: 'GET HEAD /studio/takes/{take}/file',
      expires: '24h',
      stills: { parameter: 'still' },
      redirects: ({ quirks }) => quirks['studioDelivery'] === 'redirect',
      headers: (job, { made }) => ({ 'x-take': `${job.id}.${made}` }),
    }),
  },
})

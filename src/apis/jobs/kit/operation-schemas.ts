import * as z from 'zod/mini'
import { once } from '../../../engine/once.ts'
import { isObject } from '../../../engine/is-object.ts'
import type { ApiOperation } from './definition.ts'
import type { OperationBase } from './operation.ts'
import {
  calls,
  flag,
  group,
  isStatus,
  isText,
  like,
  may,
  maybe,
  medium,
  refusals,
  span,
  such,
  text,
  texts,
  whole,
  words,
  type Keys,
} from './values.ts'

const base = {
  route: like(
    /^(?:(?:GET|HEAD|POST|PUT|PATCH|DELETE) )+\/[!-~]*$/,
    "Write METHOD /path, such as 'GET /v1/predictions/{id}'.",
  ),
  match: group({ header: texts, query: texts }),
  also: words("Write a list of paths, such as ['/v1/jobs/{id}'].", (path) => isText(path) && path[0] === '/'),
  summary: text,
  status: may(isStatus(200), 'Write a status from 200 to 599.'),
  isPublic: flag,
  refusals,
  contentType: text,
  goldens: flag,
  malformed: maybe(calls('Write malformed: () => ….')),
  option: text,
  answers: maybe(calls('Write answers: () => z.object({ … }).')),
} satisfies Keys<OperationBase>
const id = maybe(calls("Write id: ({ query }) => query.get('id')."))
const uploaded = maybe(calls('Write uploaded: (file) => file.'))
const reply = calls('Write reply: (job) => ({ id: job.id, status: job.status }).')
const example = maybe(
  z.strictObject(
    {
      body: maybe(z.unknown()),
      query: maybe(texts),
      headers: maybe(texts),
    },
    "Write example: { body: { prompt: 'a red kite' } }.",
  ),
)
const interval = maybe(
  z.strictObject(
    { min: span, max: span },
    "Write interval: { min: '5s' }, the least time between two polls.",
  ),
)
const decides = maybe(calls("Write a function of the call, such as ({ quirks }) => quirks['name'] === 'on'."))

const bodyForm = such(
  (value) => isObject(value) && typeof (value['safeParse'] ?? value['read']) === 'function',
  'Write body: z.object({ … }), with z of greenroom/api.',
)
const reads = maybe(calls('Write reads: ({ body }) => ({ model: body.model, prompt: body.prompt }).'))

const submission = {
  body: bodyForm,
  images: maybe(calls('Write images: (body) => [body.image].')),
  reads,
  idempotency: maybe(
    z.union(
      [z.strictObject({ header: such(isText, 'Write the name of a header.') }), calls('')],
      "Write { header: 'idempotency-key' }, or a function: ({ body }) => body.client_token.",
    ),
  ),
  example,
  ofJob: flag,
  id,
  job: calls('Write job: ({ body }) => ({ model: body.model, prompt: body.prompt }).'),
  reply,
}

/** The keys of each role, besides those of all operations. */
const roles = {
  submit: submission,
  confirm: submission,
  call: {
    body: maybe(bodyForm),
    reads,
    sends: words("Write a list of media types, such as ['image/png']."),
    does: may(
      (value) => value === 'list' || value === 'read' || value === 'change',
      "Write 'list', 'read' or 'change'.",
    ),
    example,
    reply: calls('Write reply: ({ body }) => ({ … }).'),
  },
  poll: { id, uploaded, example, interval, reply },
  result: { id, uploaded, example, interval, reply },
  cancel: { id, uploaded, example, reply },
  remove: { id, uploaded, example, reply },
  list: {
    example,
    filter: maybe(calls('Write filter: (job, { query }) => job.status === query.get("status").')),
    order: may((value) => value === 'newest' || value === 'oldest', "Write 'newest' or 'oldest'."),
    page: maybe(calls("Write page: ({ query }) => ({ limit: 10, after: query.get('cursor') }).")),
    reply: calls('Write reply: (jobs) => ({ items: jobs.map(({ id }) => id) }).'),
  },
  pages: {
    reply,
    least: whole(0, 'Write a number of jobs, such as 1.'),
    body: maybe(bodyForm),
    ids: maybe(calls('Write ids: ({ body }) => body.ids.')),
  },
  download: {
    id,
    example,
    uploaded,
    makes: medium,
    alias: text,
    expires: span,
    linkExpires: span,
    headers: maybe(calls("Write headers: (job) => ({ 'x-id': job.id }).")),
    previews: flag,
    sides: words("Write a list of parameters, such as ['width']."),
    stills: maybe(
      z.strictObject(
        { parameter: such(isText, 'Write the name of a parameter.') },
        "Write stills: { parameter: 'variant' }.",
      ),
    ),
    redirects: decides,
    isOpen: decides,
    failed: maybe(z.unknown()),
  },
} satisfies {
  [Role in ApiOperation['role']]: Keys<
    Omit<Extract<ApiOperation, { role: Role }>, keyof OperationBase | 'role'>
  >
}

/** What each operation is, as far as its role says. */
export const operationSchemas = once(() =>
  Object.fromEntries(
    Object.entries(roles).map(([role, keys]) => [
      role,
      z.strictObject({ role: z.unknown(), ...base, ...keys }),
    ]),
  ),
)

import { suggestKnown } from '../../../engine/did-you-mean.ts'
import { isObject } from '../../../engine/is-object.ts'
import { definitionError } from '../../../gateway/replies/errors.ts'
import type { FileFormat, FileRequest, JobRequest } from '../kit/call.ts'
import { showValue } from '../kit/check.ts'
import { isMedium } from '../kit/values.ts'

/** More files than any vendor makes of one prompt. */
const maxCount = 16

type FieldCheck = readonly [fits: (value: unknown) => boolean, write: string]

const text: FieldCheck = [(value) => typeof value === 'string', 'a text']

const formats = ['png', 'jpeg', 'webp', 'wav', 'mp3'] satisfies FileFormat[]
const isFormat = (value: unknown): boolean => (formats as unknown[]).includes(value)
const fileFields = ['makes', 'format', 'text', 'type'] satisfies (keyof FileRequest)[]

function isFileRequest(value: unknown): boolean {
  if (!isObject(value) || !Object.keys(value).every((name) => (fileFields as string[]).includes(name)))
    return false
  const { makes, format, text, type } = value
  const isText = (each: unknown): boolean => each === undefined || typeof each === 'string'
  return isMedium(makes) && (format === undefined || isFormat(format)) && isText(text) && isText(type)
}

/** What `job` may return, and what each field must be. */
const jobFields: Readonly<Record<keyof JobRequest, FieldCheck>> = {
  model: [(value) => typeof value === 'string' && value !== '', 'the name of a model'],
  prompt: text,
  makes: [isMedium, "'video', 'image', 'audio' or 'text'"],
  like: [isObject, 'call.parent'],
  seconds: [
    (value) => (typeof value === 'number' || /^\d+$/.test(String(value))) && Number(value) > 0,
    'a number of seconds above 0',
  ],
  size: text,
  aspectRatio: text,
  resolution: [(value) => typeof value === 'string' || Number.isInteger(value), 'a text'],
  seed: [(value) => typeof value === 'string' || Number.isFinite(value), 'a number or a text'],
  count: [
    (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= maxCount,
    `1 to ${maxCount}`,
  ],
  format: [isFormat, "'png', 'jpeg', 'webp', 'wav' or 'mp3'"],
  text,
  files: [
    (value) =>
      Array.isArray(value) && value.length > 0 && value.length <= maxCount && value.every(isFileRequest),
    `a list of 1 to ${maxCount} files, such as { makes: 'audio' }`,
  ],
  input: [(value) => typeof value === 'object', 'an object'],
  action: text,
  begins: text,
  fails: text,
  pace: [isObject, "{ queued: '5s', render: '20s' }"],
  once: text,
  names: [isObject, 'an object'],
}
const requiredFields = ['model', 'prompt'] as const

/**
 * Checks what `job` returned, also of callers without a compiler.
 * @throws {GatewayError} 500 for a field that is missing, unknown, or of another type.
 */
export function checkJob(operation: string, job: unknown): JobRequest {
  const fail = (text: string): never => {
    throw definitionError(operation, 'job', text)
  }
  if (!isObject(job)) fail(`it returns ${showValue(job)}. Return { model, prompt }, or an answer to refuse`)
  const given = job as Readonly<Record<string, unknown>>
  for (const [name, value] of Object.entries(given)) {
    const field = (jobFields as Readonly<Record<string, FieldCheck>>)[name]
    if (!field) {
      const hint = suggestKnown(name, Object.keys(jobFields), 'Known here')
      fail(`${name} is ${showValue(value)}, and no field has this name.${hint}`)
    } else if (value !== undefined && !field[0](value))
      fail(`${name} is ${showValue(value)}. Return ${field[1]}`)
  }
  for (const name of requiredFields)
    if (given[name] === undefined) fail(`${name} is missing. Return ${jobFields[name][1]}`)
  return job as JobRequest
}

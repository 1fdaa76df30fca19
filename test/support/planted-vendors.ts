import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { examplesFolder } from './examples.ts'

/** A mistake in a careful client of a vendor: a text of one of its files, and the text in its place. */
export interface PlantedBug {
  readonly api: string
  readonly bug: string
  /** A part of the names of the faults that find it. */
  readonly only: string
  readonly file: 'client' | 'fetch'
  readonly from: string
  readonly to: string
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    api: 'runway',
    bug: 'has no time-out',
    only: 'hang',
    file: 'fetch',
    from: ', signal: AbortSignal.timeout(60_000) }',
    to: ' }',
  },
  {
    api: 'runway',
    bug: 'submits again after a lost answer',
    only: 'runway.text-to-video',
    file: 'fetch',
    from: "(init.method ?? 'GET') === 'GET'",
    to: 'true',
  },
  {
    api: 'runway',
    bug: 'takes a failed task for one without a file',
    only: 'fails',
    file: 'client',
    from: '      throw new Error(task.failure ?? `the task is ${task.status}`)',
    to: '      process.exit(0)',
  },
  {
    api: 'runway',
    bug: 'does not renew an expired link',
    only: 'expired',
    file: 'client',
    from: 'maxLinks = 2',
    to: 'maxLinks = 1',
  },
  {
    api: 'luma',
    bug: 'polls without a deadline',
    only: 'stuck',
    file: 'fetch',
    from: 'Date.now() > deadline',
    to: 'Date.now() > deadline * 1_000',
  },
  {
    api: 'luma',
    bug: 'ignores Retry-After',
    only: '429',
    file: 'fetch',
    from: 'retryAfterMs: retryAfterMsOf(headers)',
    to: 'retryAfterMs: 0',
  },
  {
    api: 'luma',
    bug: 'keeps a damaged download',
    only: 'corrupt',
    file: 'fetch',
    from: "isWhole(bytes, headers) && bytes.subarray(4, 8).toString() === 'ftyp'",
    to: 'isWhole(bytes, headers) || bytes.length > 0',
  },
  {
    api: 'luma',
    bug: 'ends well with any state that it does not know',
    only: 'fails',
    file: 'client',
    from: '    throw new Error(generation.failure_reason ?? `the generation is ${generation.state}`)',
    to: '    process.exit(0)',
  },
  {
    api: 'suno',
    bug: 'tries again at once',
    only: '503',
    file: 'fetch',
    from: 'await sleep(Math.max(1_000 * 2 ** failures, retryAfterMs))',
    to: 'await sleep(retryAfterMs)',
  },
  {
    api: 'suno',
    bug: 'saves a refusal as its file',
    only: '503',
    file: 'fetch',
    from: '  if (!response.ok) {',
    to: '  if (!response) {',
  },
  {
    api: 'suno',
    bug: 'gives up at the first outage',
    only: '503',
    file: 'fetch',
    from: 'failures === 5 ||',
    to: 'failures === 1 ||',
  },
  {
    api: 'suno',
    bug: 'submits another task when a poll fails',
    only: '503',
    file: 'client',
    from: '  task = await send(`/record-info?taskId=${taskId}`)\n',
    to: "  task = await send(`/record-info?taskId=${taskId}`).catch(() => undefined)\n  if (!task) task = await send(`/record-info?taskId=${(taskId = (await send('', { method: 'POST', body })).taskId)}`)\n",
  },
]

/** The files of a careful client, with a bug. @throws {Error} for a text that the client does not have. */
export function plantBug({ api, file, from, to }: PlantedBug): Readonly<Record<string, string>> {
  const read = (name: string): string => readFileSync(join(examplesFolder, 'apis', name), 'utf8')
  const names = { client: `${api}-client.js`, fetch: 'careful-fetch.js' }
  const files = { [names.client]: read(names.client), [names.fetch]: read(names.fetch) }
  const text = files[names[file]]!
  if (!text.includes(from)) throw new Error(`${names[file]} has no ${from}`)
  return { ...files, [names[file]]: text.replace(from, () => to), 'package.json': '{ "type": "module" }' }
}

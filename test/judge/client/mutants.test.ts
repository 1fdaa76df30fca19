import { expect, it } from 'vitest'
import { drive, type DriveContext, type TaskOutcome } from '../../../src/judge/client/drive.ts'
import type { Rule } from '../../../src/index.ts'
import type { DriveStep } from '../../../src/index.ts'
import { describeTransports } from '../../support/transports.ts'
import { mutants, type MutantName } from './mutants.ts'
import { troubled, type Troubles, type Wire } from './troubled.ts'

/** What a story looks like when the client is good. */
interface Story {
  readonly step: DriveStep
  readonly troubles?: Troubles
  readonly rules?: readonly Rule[]
  readonly isGood: (wire: readonly Wire[], outcome: TaskOutcome) => boolean
}

const small = { size: '128x96', seconds: 1 }
const video: DriveStep = { flow: 'video', ...small }
const steady: Rule[] = [{ match: { op: 'video.submit' }, task: { queued: '3s', render: '20s' } }]
const only = (nth: number, trouble: ReturnType<Troubles[string]>) => (call: number) =>
  call === nth ? trouble : undefined
const count = (wire: readonly Wire[], what: string): number =>
  wire.filter((each) => each.what === what).length
const busy = { status: 429, headers: { 'retry-after': '30' } }

const stories: Readonly<Record<MutantName, Story>> = {
  'ignores Retry-After': {
    step: video,
    troubles: { 'POST generations': only(1, busy) },
    isGood: (wire) => wire[1]!.at >= 30,
  },
  'polls after the end': {
    step: video,
    rules: steady,
    isGood: (wire) =>
      wire.findLast(({ what }) => what === 'GET poll')!.at === 25 && count(wire, 'GET poll') === 6,
  },
  'downloads early': {
    step: video,
    isGood: (wire) => wire.every(({ what, status }) => what !== 'GET content' || status === 200),
  },
  'never verifies a download': {
    step: video,
    troubles: { 'GET content': only(1, 'corrupt') },
    isGood: (wire, { ended }) => count(wire, 'GET content') === 2 && ended === 'succeeded',
  },
  'resubmits on a lost poll': {
    step: video,
    troubles: { 'GET poll': only(2, 'lost') },
    isGood: (wire, { ended }) => count(wire, 'POST generations') === 1 && ended === 'succeeded',
  },
  'resubmits failed tasks': {
    step: { ...video, prompt: 'a kite [[fail: no wind]]' },
    isGood: (wire, { ended, reason }) =>
      count(wire, 'POST generations') === 1 && ended === 'failed' && reason === 'no wind',
  },
  'gives up too late': {
    step: { ...video, prompt: 'a kite [[stuck]]', giveUpAfter: '2m' },
    isGood: (wire, { ended }) => wire.at(-1)!.at < 120 && wire.at(-1)!.at >= 110 && ended === 'gave-up',
  },
  'gives up too early': {
    step: { ...video, giveUpAfter: '2m' },
    rules: steady,
    isGood: (_wire, { ended }) => ended === 'succeeded',
  },
  'ignores the dialog': {
    step: { flow: 'drawing', actions: ['upscale 1', 'repaint'], download: false },
    isGood: (wire, { ended }) => count(wire, 'POST modal') === 1 && ended === 'succeeded',
  },
  'accepts a cut stream': {
    step: { flow: 'text-stream', prompt: 'tell me about the boat' },
    troubles: { 'POST streamGenerateContent': only(1, 'cut') },
    isGood: (wire) => wire.length === 2,
  },
  'drops the key on download': {
    step: video,
    isGood: (wire, { ended }) => wire.every(({ key }) => key !== '') && ended === 'succeeded',
  },
  'retries without back-off': {
    step: video,
    troubles: { 'POST generations': (nth) => (nth < 4 ? { status: 503 } : undefined) },
    isGood: (wire) => wire[1]!.at >= 1 && wire[2]!.at >= 3 && wire[3]!.at >= 7,
  },
  'polls too fast': {
    step: video,
    rules: steady,
    isGood: (wire) => count(wire, 'GET poll') === 6,
  },
  'uses two keys': {
    step: video,
    isGood: (wire) => new Set(wire.map(({ key }) => key)).size === 1,
  },
}

describeTransports((open, transport) => {
  // MSW and the direct transport share most of their code; the socket does not.
  it.skipIf(transport === 'msw').each(Object.entries(stories))(
    'tells a good client from one that %s',
    async (name, story) => {
      const verdicts: boolean[] = []
      for (const mutate of [undefined, mutants[name as MutantName]]) {
        await using opened = await open({ rules: story.rules ?? [] })
        const { sleep, now } = opened.sim.clock
        const parts: DriveContext = { fetch: opened.fetch, url: opened.url, key: 'sk-test', sleep, now }
        const { fetch, wire } = troubled(parts, story.troubles ?? {})
        const given = mutate?.(story.step, { ...parts, fetch }) ?? {
          step: story.step,
          parts: { ...parts, fetch },
        }
        const [outcome] = await drive(given.step, given.parts)
        verdicts.push(story.isGood(wire, outcome!))
      }
      expect(verdicts).toEqual([true, false])
    },
  )
})

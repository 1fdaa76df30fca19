import { expect, it } from 'vitest'
import { lintScenario } from '../../../src/scenario/files/lint/lint.ts'
import { parseScenario } from '../../../src/scenario/files/parse.ts'

const findingsOf = async (text: string): Promise<string[]> => {
  const { scenario } = await parseScenario(`version: 1\nname: it\n${text}`, 'it.yaml')
  return lintScenario(scenario)
    .filter(({ message }) => message.includes('milliseconds'))
    .map(({ severity, message }) => `${severity}: ${message}`)
}

it.each([
  ['rules: [{ match: { op: video.poll }, delay: 5 }]', 'rules.0.delay is 5, which is 5 milliseconds.'],
  [
    'rules: [{ match: { op: chat.complete }, stream: { gap: 20 } }]',
    'rules.0.stream.gap is 20, which is 20 milliseconds. Write the unit: 20s or 20ms.',
  ],
  ['clock: { pollStep: 5 }', 'clock.pollStep is 5, which is 5 milliseconds.'],
  [
    'rules: [{ match: { op: video.submit }, task: { render: { uniform: [5, 10] } } }]',
    'rules.0.task.render.uniform.0 is 5',
  ],
])('advises a unit for the small number in %s', async (text, message) => {
  expect((await findingsOf(text))[0]).toContain(`advice: ${message}`)
})

it('accepts milliseconds as numbers where they are large, and zero', async () => {
  const rules =
    'rules: [{ match: { op: video.poll }, delay: 2500 }, { match: { op: video.submit }, delay: 0, on: 2 }]'
  expect(await findingsOf(rules)).toEqual([])
})

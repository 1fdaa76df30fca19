import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSimulator } from '../../src/index.ts'
import { folderWith, runIn } from './run-in-folder.ts'

const kite = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

async function picture(prompt: string): Promise<Uint8Array> {
  await using sim = createSimulator({ cacheDir: false })
  const base = { kind: 'imagine' as const, prompt, model: '7', seed: 7, width: 256, height: 256 }
  const spec = { kind: 'picture' as const, drawing: { base, edits: [] }, taskId: '17' }
  return (await sim.core.media.picture(spec)).bytes
}

it('prints what a PNG was made from', async () => {
  const bytes = await picture('two red foxes on a beach')
  const folder = folderWith({ 'fox.png': bytes })
  const { code, printed } = await runIn(folder, ['show', 'fox.png'])
  expect(code).toBe(0)
  expect(printed).toMatch(/^fox\.png\n\n {2}type {5}image\/png, \d+ bytes\n {2}task {5}17\n {2}model {4}7\n/)
  expect(printed).toContain('  prompt   two red foxes on a beach\n  shows    2 fox, ')
  const { printed: json } = await runIn(folder, ['show', 'fox.png', '--json'])
  expect(JSON.parse(json)).toMatchObject({
    format: 1,
    type: 'image/png',
    bytes: bytes.length,
    task: '17',
    scene: { kind: 'picture', drawing: { base: { kind: 'imagine' } } },
    isUnchanged: true,
  })
})

it('prints what a JPEG was made from', async () => {
  await using sim = createSimulator({ cacheDir: false })
  const body = { model: 'sim-image-1', prompt: 'a red fox', size: '256x256', output_format: 'jpeg' }
  const response = await sim.fetch('/v1/images/generations', {
    method: 'POST',
    headers: { authorization: `Bearer ${sim.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...body, response_format: 'b64_json' }),
  })
  const { data } = (await response.json()) as { data: { b64_json: string }[] }
  const folder = folderWith({ 'fox.jpg': Buffer.from(data[0]!.b64_json, 'base64') })
  const { code, printed } = await runIn(folder, ['show', 'fox.jpg'])
  expect(code, printed).toBe(0)
  expect(printed).toMatch(/ type +image\/jpeg, \d+ bytes\n/)
  expect(printed).toContain('  prompt   a red fox\n')
})

it('prints what an MP4 was made from, by any name', async () => {
  const folder = folderWith({})
  await runIn(folder, [
    'render',
    '--prompt',
    'a red kite',
    '--out',
    'clip',
    '--quality',
    'fast',
    '--cache-dir',
    'false',
  ])
  const { code, printed } = await runIn(folder, ['show', 'clip'])
  expect(code).toBe(0)
  expect(printed).toMatch(/type {5}video\/mp4.*\n {2}task {5}task_\w{32}\n {2}model {4}video-1\n/)
  expect(printed).toContain('  prompt   a red kite\n  shows    kite, ')
})

it('says that pixels were changed', async () => {
  const edited = Buffer.from(await picture('a red kite'))
  // A byte of the checksum of the last pixels.
  const place = edited.lastIndexOf('IEND') - 6
  edited[place] = edited[place]! ^ 1
  const { printed } = await runIn(folderWith({ 'a.png': edited }), ['show', 'a.png'])
  expect(printed).toContain('pixels   changed since it was made')
})

it('prints no escape sequence of a prompt', async () => {
  const { printed } = await runIn(folderWith({ 'a.png': await picture('a kite \u001b[31m') }), [
    'show',
    'a.png',
  ])
  expect(printed).not.toContain('\u001b')
})

it.each([
  ['missing.png', 'read', 'it does not exist'],
  ['.', 'read', 'it is a folder'],
  ['notes.txt', 'show', 'it is neither a recording nor a PNG, JPEG or MP4'],
  ['empty', 'show', 'it is neither a recording nor a PNG, JPEG or MP4'],
  ['kite.png', 'show', 'it has no provenance of greenroom'],
  ['cut.mp4', 'show', 'it has no provenance of greenroom'],
])('refuses %s, which it fails to %s: %s', async (file, verb, why) => {
  const folder = folderWith({
    'notes.txt': 'hello',
    empty: '',
    'kite.png': kite,
    'cut.mp4': '\0\0\0\x14ftyp',
  })
  const { code, warned, printed } = await runIn(folder, ['show', file])
  expect([code, printed]).toEqual([22, ''])
  expect(warned).toContain(`error: Failed to ${verb} ${join(folder, file).replace(/\/\.$/, '')}: ${why}`)
})

it.each([
  ['fox.png', '--namespace', '--namespace is for recordings'],
  ['run.jsonl', '--json', '--json is for images and videos'],
])('refuses a flag that says nothing about %s', async (file, flag, why) => {
  const folder = folderWith({ 'fox.png': kite, 'run.jsonl': '{' })
  const { code, warned } = await runIn(folder, ['show', file, flag, ...(flag === '--json' ? [] : ['a'])])
  expect([code, warned]).toEqual([2, expect.stringContaining(why)])
})

import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { folderWith, run, runIn } from './run-in-folder.ts'

const kite = readFileSync(new URL('../../fixtures/pictures/kite-64x48.png', import.meta.url))

/** A clip that takes milliseconds. */
const render = (...words: string[]): string[] => [
  'render',
  '--prompt',
  'a paper boat in the rain',
  '--out',
  'clip.mp4',
  '--quality',
  'fast',
  '--cache-dir',
  'false',
  ...words,
]

it('writes one file, describes it, and leaves no other file', async () => {
  const { code, printed, warned, folder } = await run(render('--size', '320x180', '--seconds', '2'))
  const bytes = readFileSync(join(folder, 'clip.mp4'))
  expect([code, warned]).toEqual([0, ''])
  expect(printed).toMatch(/^clip\.mp4\n/)
  expect(printed).toContain('size     320x180')
  expect(printed).toContain('length   2 s, 24 frames')
  expect(printed).toContain(`bytes    ${bytes.length}\n`)
  expect(printed).toContain('encoder  none')
  expect(bytes.subarray(4, 8).toString()).toBe('ftyp')
  expect(readdirSync(folder)).toEqual(['clip.mp4'])
})

it('encodes a full clip, and names the encoder', async () => {
  const words = render('--size', '64x64', '--seconds', '1', '--fps', '2', '--no-caption')
  const full = words.map((word) => (word === 'fast' ? 'full' : word))
  const environment = { GREENROOM_FFMPEG: 'wasm' }
  const { code, printed } = await runIn(folderWith({}), full, { environment })
  expect([code, printed]).toEqual([0, expect.stringMatching(/encoder {2}wasm \(ffmpeg version .+\)/)])
})

it('makes the same clip from the same flags, and another from another seed', async () => {
  const bytesOf = async (...words: string[]): Promise<Buffer> =>
    readFileSync(join((await run(render('--size', '320x180', ...words))).folder, 'clip.mp4'))
  expect(await bytesOf()).toEqual(await bytesOf('--seed', '1', '--model', 'video-1'))
  expect(await bytesOf()).not.toEqual(await bytesOf('--seed', '2'))
})

it('leaves directives out of the picture', async () => {
  const folder = folderWith({})
  const prompts = { plain: 'a red kite', directives: 'a red kite [[fail: policy]] [[render 2m]]' }
  for (const [name, prompt] of Object.entries(prompts)) {
    await runIn(folder, [
      'render',
      '--prompt',
      prompt,
      '--out',
      name,
      '--quality',
      'fast',
      '--cache-dir',
      'false',
    ])
  }
  expect(readFileSync(join(folder, 'directives'))).toEqual(readFileSync(join(folder, 'plain')))
})

it('sets a picture in motion', async () => {
  const files = { 'kite.png': kite }
  const { code, folder } = await run(render('--image', 'kite.png'), files)
  const without = await run(render())
  expect(code).toBe(0)
  expect(readFileSync(join(folder, 'clip.mp4'))).not.toEqual(readFileSync(join(without.folder, 'clip.mp4')))
})

it('replaces a file only when it is forced to, and a link never', async () => {
  const folder = folderWith({ 'target.mp4': 'mine' })
  symlinkSync('target.mp4', join(folder, 'clip.mp4'))
  const refused = await runIn(folder, render())
  expect([refused.code, refused.warned]).toEqual([22, expect.stringContaining('Use --force to replace it.')])
  expect(readFileSync(join(folder, 'target.mp4'), 'utf8')).toBe('mine')
  expect((await runIn(folder, render('--force'))).code).toBe(0)
  expect(lstatSync(join(folder, 'clip.mp4')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(folder, 'target.mp4')).length).toBeGreaterThan(1_000)
})

it.each([
  [['--prompt', '[[stuck]]'], 'which shows nothing'],
  [['--prompt', 'x [[render soon]]'], '"soon" is not a duration'],
  [['--size', '9x9'], '--size is "9x9". Use WIDTHxHEIGHT with sides from 64 to 1920'],
  [['--size', 'large'], '--size is "large"'],
  [['--seconds', '61'], '--seconds is "61": must be a whole number from 1 to 60.'],
  [['--seconds', 'long'], '--seconds is "long": must be a whole number'],
  [['--fps', '0.5'], '--fps is "0.5": must be a whole number from 1 to 60.'],
  [['--prompt', ''], '--prompt is empty: give it a value.'],
  [['a boat'], 'Unexpected argument "a boat": greenroom render takes flags only.'],
  [['--qality', 'fast'], 'Did you mean "--quality"? See greenroom render --help.'],
])('refuses the flags %j before anything is written', async (words, message) => {
  // A flag that is given twice is refused for that, so the prompt of the case is the only one.
  const usual = words[0] === '--prompt' ? [] : ['--prompt', 'a boat']
  const { code, warned, folder } = await run(['render', '--out', 'clip.mp4', ...usual, ...words])
  expect([code, warned]).toEqual([2, expect.stringContaining(message)])
  expect(readdirSync(folder)).toEqual([])
})

it.each(['a.gif', 'a.webm'])('refuses to write an MP4 as %s', async (name) => {
  const { code, warned, folder } = await run(['render', '--prompt', 'a boat', '--out', name])
  expect([code, warned]).toEqual([
    2,
    expect.stringContaining(`--out is "${name}", but clips are MP4: name a file that ends in .mp4.`),
  ])
  expect(readdirSync(folder)).toEqual([])
})

it('asks for what it cannot do without', async () => {
  const { code, warned } = await run(['render', '--prompt', 'a boat'])
  expect([code, warned]).toEqual([2, expect.stringContaining('greenroom render needs --out')])
})

it.each([
  [['--image', 'none.png'], 'none.png: it does not exist'],
  [['--image', 'text.png'], 'text.png: The image is not a picture'],
])('refuses a picture that is none: %j', async (words, message) => {
  const { code, warned, folder } = await run(render(...words), { 'text.png': 'no picture' })
  expect([code, warned]).toEqual([22, expect.stringContaining(message)])
  expect(readdirSync(folder)).toEqual(['text.png'])
})

it('says what is in the way of the file before it renders', async () => {
  const folder = folderWith({})
  mkdirSync(join(folder, 'clip.mp4'))
  const isFolder = await runIn(folder, render('--force'))
  expect([isFolder.code, isFolder.warned]).toEqual([22, expect.stringContaining('it is a folder')])
  const words = ['render', '--prompt', 'a boat', '--out', 'nowhere/clip.mp4']
  const noFolder = await runIn(folder, words)
  expect([noFolder.code, noFolder.warned]).toEqual([22, expect.stringMatching(/nowhere can't be written/)])
})

// Nothing is forbidden to root.
it.skipIf(process.getuid?.() === 0)('says that a folder may not be written', async () => {
  const folder = folderWith({})
  chmodSync(folder, 0o500)
  const { code, warned } = await runIn(folder, render())
  expect([code, warned]).toEqual([22, expect.stringContaining('permission is denied')])
})

it('shows the frame number and the elapsed time on a terminal, and clears the line at the end', async () => {
  const lines: string[] = []
  await runIn(folderWith({}), render('--size', '320x180'), { progress: (line) => lines.push(line) })
  expect(lines[0]).toBe('rendering 320x180, frame 0 of 60: 0.0 s')
  expect(lines.at(-1)).toBe('')
})

it('writes nothing when it is interrupted', async () => {
  const words = ['render', '--prompt', 'a boat', '--out', 'clip.mp4', '--cache-dir', 'false']
  const more = { interrupted: Promise.resolve(), environment: { GREENROOM_FFMPEG: 'wasm' } }
  const { code, printed, folder } = await runIn(folderWith({}), words, more)
  expect([code, printed, readdirSync(folder)]).toEqual([130, '', []])
})

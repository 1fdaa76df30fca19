import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const run = (script: string, ...words: string[]): Promise<unknown> =>
  promisify(execFile)(process.execPath, [script, ...words], { cwd: root })

/** Small enough that a way of rounding makes no difference. */
const thumbnail = (path: string): Promise<Buffer> =>
  sharp(path).resize(60, 60, { fit: 'fill' }).raw().toBuffer()

it.each(['everyday', 'languages', 'people', 'styles', 'motion'])(
  'shows in the docs the drawings of today: %s',
  async (kind) => {
    await run('scripts/contact-sheets.js', folder, kind)
    const today = await thumbnail(join(folder, `drawing-${kind}.png`))
    const committed = await thumbnail(join(root, `docs/images/drawing-${kind}.png`))
    expect(today.length).toBe(committed.length)
    expect(Math.max(...today.map((value, index) => Math.abs(value - committed[index]!)))).toBeLessThan(8)
  },
  60_000,
)

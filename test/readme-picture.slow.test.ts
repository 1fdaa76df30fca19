import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { chromiumProgram, itInChromium } from './browser/chromium.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'greenroom-picture-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeAll(async () => {
  if (existsSync(chromiumProgram))
    await promisify(execFile)(process.execPath, ['scripts/readme-picture.js', folder], { cwd: root })
}, 120_000)

const hashSide = 24

/** A perceptual hash: whether each cell of a small copy is darker than the one to its right. */
async function hashPicture(path: string): Promise<boolean[]> {
  const { data } = await sharp(path)
    .greyscale()
    .resize(hashSide + 1, hashSide, { fit: 'fill' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return Array.from({ length: hashSide * hashSide }, (_, cell) => {
    const index = cell + Math.floor(cell / hashSide)
    return data[index]! < data[index + 1]!
  })
}

itInChromium.each(['light', 'dark'])('shows in the README the time axis of today, in %s', async (theme) => {
  const name = `time-axis-${theme}.png`
  const committed = join(root, 'docs/images', name)
  const made = join(folder, name)
  const [one, other] = [await sharp(made).metadata(), await sharp(committed).metadata()]
  expect([one.width, one.height]).toEqual([other.width, other.height])
  const [hash, otherHash] = [await hashPicture(made), await hashPicture(committed)]
  // Another version of the browser draws letters a little differently.
  expect(hash.filter((bit, index) => bit !== otherHash[index]).length).toBeLessThan(hash.length * 0.05)
})

it.each(['light', 'dark'])('has a small picture at the top of the README, in %s', (theme) => {
  const path = `docs/images/time-axis-${theme}.png`
  const [top] = readFileSync(join(root, 'README.md'), 'utf8').split('\n## ')
  expect(top).toContain(path)
  expect(statSync(join(root, path)).size).toBeLessThan(150_000)
})

itInChromium('shows in the README a frame of the first video', async () => {
  const committed = join(root, 'docs/images/first-video.png')
  const hash = await hashPicture(join(folder, 'first-video.png'))
  const otherHash = await hashPicture(committed)
  expect(hash.filter((bit, index) => bit !== otherHash[index]).length).toBeLessThan(hash.length * 0.05)
  expect(statSync(committed).size).toBeLessThan(60_000)
})

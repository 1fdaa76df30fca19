import { copyFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import type { Media } from '../../src/media/source.ts'
import { folder } from './folders.ts'
import { openMedia } from './open.ts'

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/pictures/${name}`, import.meta.url))
const kite = fixture('kite-64x48.png')

it('serves only images and videos, checked by name and first bytes, and reports what is wrong', async () => {
  await using media = openMedia()
  const served = (path: string): Promise<unknown> => media.file!({ kind: 'file', path })
  await expect(served(fixture('none.png'))).rejects.toThrow('there is no such file')
  await expect(served('/etc/passwd')).rejects.toThrow('its name must end in .mp4')
  await expect(served('kite.png')).rejects.toThrow('its path is not absolute')
  expect(await served(kite)).toMatchObject({ type: 'image/png' })
  await using files = await folder()
  const [text, wrong] = [join(files.path, 'secret.mp4'), join(files.path, 'kite.jpg')]
  await writeFile(text, 'root:x:0:0')
  await copyFile(kite, wrong)
  await expect(served(text)).rejects.toThrow('its first bytes are those of no video or picture')
  await expect(served(wrong)).rejects.toThrow('its name ends in .jpg, but it is image/png')
})

it.skipIf(process.platform === 'win32')('refuses a symbolic link that leaves its folder', async () => {
  await using files = await folder()
  await using media = openMedia()
  const served = (name: string): Promise<unknown> =>
    media.file!({ kind: 'file', path: join(files.path, name) })
  await symlink(kite, join(files.path, 'out.png'))
  await copyFile(kite, join(files.path, 'here.png'))
  await symlink('here.png', join(files.path, 'in.png'))
  await expect(served('out.png')).rejects.toThrow(`it is a symbolic link to ${kite}. Name that file`)
  expect(await served('in.png')).toMatchObject({ type: 'image/png' })
})

it('holds a file once in memory for all that read it, and reads it again when it has changed', async () => {
  await using files = await folder()
  await using media = openMedia()
  const path = join(files.path, 'kite.png')
  await copyFile(kite, path)
  const served = (): Promise<Media> => media.file!({ kind: 'file', path })
  const [first, second] = await Promise.all([served(), served()])
  const third = await served()
  expect(new Set([first, second, third].map(({ bytes }) => bytes.buffer)).size).toBe(1)
  expect(third).toEqual({ ...first, bytes: new Uint8Array(first.bytes) })
  await writeFile(path, Buffer.concat([first.bytes, Buffer.alloc(1)]))
  const changed = await served()
  expect([changed.bytes.length, changed.etag === first.etag]).toEqual([first.bytes.length + 1, false])
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An empty folder that goes away with the test. */
export async function folder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'greenroom-media-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}

/** Writes a program into the folder and gives its path. */
export async function program(where: { path: string }, name: string, shellScript: string): Promise<string> {
  const path = join(where.path, name)
  await writeFile(path, `#!/bin/sh\n${shellScript}\n`, { mode: 0o755 })
  return path
}

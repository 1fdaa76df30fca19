import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startServer } from '../../src/server/index.ts'

const docs = ['reference/control-plane', 'how-to/state', 'reference/sdks']
  .map((page) => readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8'))
  .join('\n')

/** Runs lines of a shell until they end or have printed something, and returns that. */
function run(lines: string, folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-c', lines], { cwd: folder, detached: true })
    let printed = ''
    const end = (): void => resolve(printed)
    shell.stdout.on('data', (bytes: Buffer) => {
      printed += bytes.toString()
      // A stream of events doesn't end.
      if (printed.includes('event: ready')) process.kill(-shell.pid!)
    })
    shell.on('error', reject)
    shell.on('close', end)
  })
}

it('runs every curl line of the control API', async () => {
  const token = 'a-token-of-16-characters'
  const server = await startServer({ port: 0, cacheDir: false, bodies: true, clock: 'manual' })
  const guarded = await startServer({ port: 0, cacheDir: false, controlToken: token })
  const folder = mkdtempSync(join(tmpdir(), 'greenroom-test-'))
  onTestFinished(async () => {
    await Promise.all([server.close(), guarded.close()])
    rmSync(folder, { recursive: true, force: true })
  })
  await fetch(`${server.url}/v1/models`, { headers: { authorization: 'Bearer sk-test' } })
  const snippets = [...docs.matchAll(/```sh\n(curl [^]*?)```/g)].map(([, lines]) => lines!)
  expect(snippets.length).toBeGreaterThanOrEqual(6)
  for (const lines of snippets) {
    const { url } = lines.includes('/session') ? guarded : server
    const printed = await run(lines.replaceAll('localhost:4646', url.replace('http://', '')), folder)
    expect(printed, lines).not.toContain('"error"')
    if (lines.includes('/session')) expect(printed).toContain('Set-Cookie: greenroom-')
    if (lines.includes('/events')) expect(printed).toMatch(/^event: hello\n/)
    if (lines.includes('/check')) expect(printed).toBe('{"ok":true}')
    if (lines.includes('/exchange')) expect(printed).toContain('"line":"GET /v1/models"')
  }
  expect(readFileSync(join(folder, 'saved.yaml'), 'utf8')).toContain('version: 1')
})

import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Terminal } from '../../src/cli/terminal/command.ts'
import {
  client,
  files,
  folderWith,
  never,
  node,
  runIn,
  runScenarios as run,
  story,
  type Ran,
} from './run-in-folder.ts'

interface Data {
  readonly title: string
  readonly runs: readonly {
    readonly verdict: { name: string; seed: string | null; passed: boolean; reproduce: string | null }
    readonly evidence: readonly { request: number; path: string }[]
    readonly scenario: readonly { file: string; text: string }[]
    readonly trace: {
      namespace: string
      tasks: { timeline: unknown[] }[]
      entries: { operation: string }[]
      exchanges: { number: number; request: { line: string; body: string }; reply: { line: string } | null }[]
    }
  }[]
}

function readData(path: string): Data {
  const html = readFileSync(path, 'utf8')
  const [, json] = /<script id="greenroom-data"[^>]*>(.*?)<\/script>/s.exec(html)!
  return JSON.parse(json!) as Data
}

const failing = story.replace('max: 7', 'max: 3').replace('config: {', 'config: { keys: [sk-of-mine],')

it('writes the runs of all seeds, each with what happened, the scenario, and the line that repeats it', async () => {
  const folder = folderWith({ ...files, 'story.yaml': failing })
  const words = ['story.yaml', '--seeds', '1..2', '--report', 'html=out.html', ...node('client.mjs')]
  const { code } = await run(folder, words)
  const { title, runs } = readData(join(folder, 'out.html'))

  expect([code, title, runs.length]).toEqual([20, 'greenroom run', 2])
  expect(runs.map(({ verdict }) => verdict)).toMatchObject([
    { name: 'a video', seed: '1', passed: false },
    { name: 'a video', seed: '2', passed: false },
  ])
  const [{ verdict, trace, scenario, evidence }] = runs as [Data['runs'][0]]
  expect(verdict.reproduce).toBe(`greenroom run --seed 1 story.yaml -- ${process.execPath} client.mjs`)
  expect(scenario).toEqual([{ file: 'story.yaml', text: failing.replace('sk-of-mine', 'sk-…') }])
  expect(trace.tasks.map(({ timeline }) => timeline.length)).toEqual([3])
  expect(trace.entries[0]!.operation).toBe('video.submit')
  expect(evidence.map(({ path }) => path)).toContain('requests[0]')
  expect(trace.exchanges.find(({ number }) => number === 1)).toMatchObject({
    request: { line: 'POST /v1/video/generations', body: expect.stringContaining('a red kite') as string },
    reply: { line: 'HTTP/1.1 200' },
  })
  expect(readFileSync(join(folder, 'out.html'), 'utf8')).not.toContain('sk-of-mine')
})

it('writes a report on an invalid file, too', async () => {
  const folder = folderWith({ 'bad.yaml': 'version: 1\nseeds: 3\n' })
  const { code } = await run(folder, ['bad.yaml', '--report', 'html=out.html', ...node('-e', '0')])

  expect(code).toBe(22)
  expect(readData(join(folder, 'out.html')).runs[0]).toMatchObject({
    verdict: { passed: false },
    trace: null,
  })
})

it('asks for a file, since a page is not for a terminal', async () => {
  const { code, warned } = await run(folderWith(files), ['story.yaml', '--report', 'html'])

  expect([code, warned]).toEqual([
    2,
    'error: --report html needs a file, such as --report html=report.html.\n',
  ])
})

it('writes a run without a scenario in every format', async () => {
  const early = client.replace(
    'for (;;)',
    "await fetch(url + '/v1/videos/' + id + '/content', { headers })\nfor (;;)",
  )
  const folder = folderWith({ 'client.mjs': early })
  const reports = ['--report', 'html=out.html', '--report', 'junit=out.xml', '--report', 'json=out.json']
  const words = ['run', ...reports, ...node('client.mjs')]
  const { code, printed } = await runIn(folder, words, { interrupted: never })
  const [run] = readData(join(folder, 'out.html')).runs
  const json = JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8')) as { passed: boolean }

  expect([code, json.passed]).toEqual([20, false])
  expect(printed).toContain('✗ always: no-early-download')
  expect(run!.evidence).toMatchObject([{ request: 2, path: 'always.no-early-download' }])
  expect(run!.verdict.reproduce).toBe(`greenroom run --seed 1 -- ${process.execPath} client.mjs`)
  expect(readFileSync(join(folder, 'out.xml'), 'utf8')).toMatch(/<failure message="[^"]*had not ended/)
})

it('shows a recording: its tasks are made again from its requests', async () => {
  const folder = folderWith(files)
  const report = ['--report', 'html=run.html', '--journal', 'run.jsonl']
  await run(folder, ['story.yaml', ...report, ...node('client.mjs')])
  const { code, printed } = await runIn(folder, ['show', 'run.jsonl', '--report', 'html=page.html'])
  const path = join(folder, 'page.html')
  const [{ trace: ofRun }] = readData(join(folder, 'run.html')).runs as [Data['runs'][0]]
  const [{ trace, verdict }] = readData(path).runs as [Data['runs'][0]]

  expect([code, printed]).toEqual([0, expect.stringContaining('✓ always: one-key')])
  expect(verdict).toMatchObject({
    name: 'default',
    seed: '1',
    passed: true,
    reproduce: 'greenroom replay run.jsonl',
  })
  expect(trace.tasks).toEqual(ofRun.tasks)
  expect(trace.entries).toEqual(ofRun.entries)
  expect(trace.exchanges.map(({ number, request }) => [number, request.line, request.body])).toEqual(
    ofRun.exchanges.map(({ number, request }) => [number, request.line, request.body]),
  )
})

it('says which namespaces a recording has', async () => {
  const folder = folderWith(files)
  await run(folder, ['story.yaml', '--journal', 'run.jsonl', ...node('client.mjs')])
  const { code, warned } = await runIn(folder, ['show', 'run.jsonl', '--namespace', 'alice'])

  expect([code, warned]).toEqual([2, 'error: The recording has no namespace "alice". It has default.\n'])
})

it.skipIf(process.platform !== 'linux')(
  'opens a browser on a terminal, without a shell, or says that there is none',
  async () => {
    const folder = folderWith({ ...files, 'xdg-open': '#!/bin/sh\necho "$1" > "$TMPDIR/opened"\n' })
    chmodSync(join(folder, 'xdg-open'), 0o755)
    await run(folder, ['story.yaml', '--journal', "it's run.jsonl", ...node('client.mjs')])
    onTestFinished(() => void vi.unstubAllEnvs())
    vi.stubEnv('TMPDIR', folder)
    const screen = { fd: 1, hasColours: false, columns: () => 80 }
    const show = (path: string, more: Partial<Terminal>): Promise<Ran> => {
      vi.stubEnv('PATH', path)
      return runIn(folder, ['show', "it's run.jsonl"], more)
    }
    const opened = await show(folder, { screen })
    const none = await show('/nowhere', { screen })
    const inPipe = await show(folder, {})
    const [, path] = /^Opened (.*)$/m.exec(opened.warned)!

    expect([opened.code, opened.printed]).toEqual([0, expect.stringContaining('✓ always: one-key')])
    expect(readFileSync(join(folder, 'opened'), 'utf8').trimEnd()).toBe(pathToFileURL(path!).href)
    expect(readData(path!).runs).toHaveLength(1)
    expect(statSync(path!).mode & 0o777).toBe(0o600)
    expect([none.code, none.warned]).toEqual([
      0,
      expect.stringContaining('hint: Failed to open a browser by xdg-open'),
    ])
    expect(inPipe).toMatchObject({ code: 0, warned: '', printed: opened.printed })
  },
)
